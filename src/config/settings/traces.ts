import { accessSettings } from './access.ts';
import { integer } from './kinds.ts';

const mostTraces = (product: string) =>
  integer(20, 20_000)
    .default(400)
    .describe(`Most traces read from ${product} for one incident, half of them at most for a question of the agent.`);

export const traces = {
  ...accessSettings('TEMPO', 'Tempo', 'Grafana Tempo base URL (without /api); the tenant goes into TEMPO_HEADERS.'),
  TEMPO_MAX_TRACES: mostTraces('Tempo'),
  ...accessSettings(
    'JAEGER',
    'Jaeger',
    'Base URL of Jaeger, as its page has it (without /api); or of what answers like it.',
  ),
  JAEGER_MAX_TRACES: mostTraces('Jaeger'),
} as const;

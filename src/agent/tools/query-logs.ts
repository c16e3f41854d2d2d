import { z } from 'zod';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { chooseProvider, given, providerInput, providersWith, reading } from './provider-choice.ts';
import { relativeWindow, windowInput, windowText } from './relative-window.ts';
import { defineTool, type Tool } from './tool.ts';

/** Lines read for one call; they are grouped before the model sees them. */
const MAX_LINES = 2000;

/** Undefined when no provider answers log queries. */
export function queryLogsTool(providers: readonly TelemetryProvider[]): Tool | undefined {
  const able = providersWith(providers, 'queryLogs');
  if (able.length === 0) return undefined;
  return defineTool({
    name: 'query_logs',
    description:
      'Reads log lines around the alert. Lines of the same wording come back as one group with count, first and last time and one sample, ' +
      `each with an evidence id you can cite; errors first, with what kinds of errors there are. Reads at most ${MAX_LINES} lines a call.`,
    input: z.strictObject({
      ...providerInput(able),
      service: z.string().trim().min(1).max(200).optional().describe('Only lines of this service.'),
      contains: z.string().min(1).max(200).optional().describe('Only lines with this text; case does not matter.'),
      ...windowInput,
    }),
    async run(input, context, signal) {
      const provider = chooseProvider(able, input.provider);
      const window = relativeWindow(input, context);
      const filter = given({ service: input.service, contains: input.contains });
      const searched = `${provider.name}: logs ${JSON.stringify(filter)}, ${windowText(window)}`;
      const query = { ...filter, ...window, limit: MAX_LINES };
      const answer = await reading(provider.name, searched, provider.queryLogs(query, signal));
      const isPart = answer.items.length >= MAX_LINES;
      return { kind: 'logs', searched, records: answer.items, isPart, notes: answer.note ? [answer.note] : [] };
    },
  });
}

import { z } from 'zod';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { chooseProvider, given, nameInput, providerInput, providersWith, reading } from './provider-choice.ts';
import { relativeWindow, windowInputFrom, windowText } from './relative-window.ts';
import { defineTool, type Tool } from './tool.ts';

/** Spans read for one call; they are counted before the model sees them. */
const MAX_SPANS = 20_000;
/** Long enough to know what was usual. */
const FROM_MINUTES = -30;
/** A trace that a log line names is looked for in the whole day. */
const ONE_TRACE_FROM_MINUTES = -1440;

/** Undefined when no provider answers for traces. */
export function queryTracesTool(providers: readonly TelemetryProvider[]): Tool | undefined {
  const able = providersWith(providers, 'querySpans');
  if (able.length === 0) return undefined;
  return defineTool({
    name: 'query_traces',
    description:
      'Reads the traces in which some span matches: how the calls of each operation went (count, p50, p95, own time, errors, against before the alert), then ' +
      'the most telling traces (errors first, then the slowest) with trees of their spans. Operations and traces have evidence ids you can cite. ' +
      'Own time is without the calls waited for: it tells who is slow from who waits. Names take * as wildcard.',
    input: z.strictObject({
      ...providerInput(able),
      service: nameInput('Some span of this service.'),
      operation: nameInput('Some span of this operation.'),
      trace_id: nameInput('This trace only.'),
      min_duration_ms: z.number().min(0).max(86_400_000).optional().describe('Some span that took at least this long.'),
      errors_only: z.boolean().optional().describe('Some span with an error.'),
      ...windowInputFrom(`${FROM_MINUTES}`),
    }),
    async run(input, context, signal) {
      const provider = chooseProvider(able, input.provider);
      const window = relativeWindow(input, context, input.trace_id ? ONE_TRACE_FROM_MINUTES : FROM_MINUTES);
      const filter = given({
        service: input.service,
        operation: input.operation,
        traceId: input.trace_id,
        minDurationMs: input.min_duration_ms,
        errorsOnly: input.errors_only,
      });
      const searched = `${provider.name}: traces ${JSON.stringify(filter)}, ${windowText(window)}`;
      const query = { ...filter, ...window, limit: MAX_SPANS };
      const answer = await reading(provider.name, searched, provider.querySpans(query, signal));
      const notes = answer.note ? [answer.note] : [];
      return { kind: 'spans', searched, spans: answer.items, stats: answer.stats ?? [], notes };
    },
  });
}

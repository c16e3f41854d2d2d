import { z } from 'zod';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { chooseProvider, providerInput, providersWith, reading } from './provider-choice.ts';
import { relativeWindow, windowInput, windowText } from './relative-window.ts';
import { defineTool, type Tool } from './tool.ts';

/** Undefined when no provider answers metric queries. */
export function queryMetricsTool(providers: readonly TelemetryProvider[]): Tool | undefined {
  const able = providersWith(providers, 'queryMetrics');
  const help = able.map((provider) => `${provider.name}: ${provider.metricQueryHelp ?? 'its own query language'}`);
  if (able.length === 0) return undefined;
  return defineTool({
    name: 'query_metrics',
    description:
      'Reads metrics around the alert. Returns one summary a series (baseline, peak, change, trend), each with an evidence id you can cite; ' +
      `never raw points. How to write the query: ${help.join(' | ')}`,
    input: z.strictObject({ ...providerInput(able), query: z.string().trim().min(1).max(1000), ...windowInput }),
    async run(input, context, signal) {
      const provider = chooseProvider(able, input.provider);
      const window = relativeWindow(input, context);
      const searched = `${provider.name}: ${input.query}, ${windowText(window)}`;
      const answer = await reading(
        provider.name,
        searched,
        provider.queryMetrics({ query: input.query, ...window }, signal),
      );
      return { kind: 'series', searched, series: answer.items, notes: answer.note ? [answer.note] : [] };
    },
  });
}

import { z } from 'zod';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { chooseProvider, given, nameInput, providerInput, providersWith, reading } from './provider-choice.ts';
import { relativeWindow, windowInputFrom, windowText } from './relative-window.ts';
import { defineTool, type Tool } from './tool.ts';

const MAX_CHANGES = 500;
/** What was changed yesterday may break today, at the first peak. */
const FROM_MINUTES = -1440;

/** Undefined when no provider answers for changes. */
export function queryChangesTool(providers: readonly TelemetryProvider[]): Tool | undefined {
  const able = providersWith(providers, 'queryChanges');
  if (able.length === 0) return undefined;
  return defineTool({
    name: 'query_changes',
    description:
      'Reads deployments, configuration changes and other deliberate acts, the last one before the alert first, each with an evidence id you can cite. ' +
      'Rollouts also show as events (ScalingReplicaSet) and in the state of workloads.',
    input: z.strictObject({
      ...providerInput(able),
      service: nameInput('Only changes of this service; * as wildcard.'),
      ...windowInputFrom(`${FROM_MINUTES}, a day before the alert`),
    }),
    async run(input, context, signal) {
      const provider = chooseProvider(able, input.provider);
      const window = relativeWindow(input, context, FROM_MINUTES);
      const filter = given({ service: input.service });
      const searched = `${provider.name}: changes ${JSON.stringify(filter)}, ${windowText(window)}`;
      const query = { ...filter, ...window, limit: MAX_CHANGES };
      const answer = await reading(provider.name, searched, provider.queryChanges(query, signal));
      return { kind: 'changes', searched, changes: answer.items, notes: answer.note ? [answer.note] : [] };
    },
  });
}

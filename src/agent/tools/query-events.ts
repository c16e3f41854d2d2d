import { z } from 'zod';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { chooseProvider, given, nameInput, providerInput, providersWith, reading } from './provider-choice.ts';
import { relativeWindow, windowInputFrom, windowText } from './relative-window.ts';
import { defineTool, type Tool } from './tool.ts';

/** Records read for one call; they are merged before the model sees them. */
const MAX_EVENTS = 1000;
/** A cluster forgets its events after an hour. */
const FROM_MINUTES = -60;

/** Undefined when no provider answers for events. */
export function queryEventsTool(providers: readonly TelemetryProvider[]): Tool | undefined {
  const able = providersWith(providers, 'queryEvents');
  if (able.length === 0) return undefined;
  return defineTool({
    name: 'query_events',
    description:
      'Reads cluster events (Kubernetes), those that the brief left out included: of other services, of routine kinds, further from the alert. ' +
      'Merged by reason and object with counts and times, warnings first, each with an evidence id you can cite. Names take * as wildcard.',
    input: z.strictObject({
      ...providerInput(able),
      service: nameInput('Only events about this service and its pods.'),
      object: nameInput('Only of this object: a name or Kind/name, such as Node/* or Pod/cart-*.'),
      reason: nameInput('Only of this reason, such as OOMKilling or *BackOff.'),
      type: z.enum(['Warning', 'Normal']).optional(),
      ...windowInputFrom(`${FROM_MINUTES}`),
    }),
    async run(input, context, signal) {
      const provider = chooseProvider(able, input.provider);
      const window = relativeWindow(input, context, FROM_MINUTES);
      const { service, object, reason, type } = input;
      const filter = given({ service, object, reason, type });
      const searched = `${provider.name}: events ${JSON.stringify(filter)}, ${windowText(window)}`;
      const query = { ...filter, ...window, limit: MAX_EVENTS };
      const answer = await reading(provider.name, searched, provider.queryEvents(query, signal));
      return { kind: 'events', searched, events: answer.items, notes: answer.note ? [answer.note] : [] };
    },
  });
}

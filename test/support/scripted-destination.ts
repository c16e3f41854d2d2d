import type { DeliveryContent, DeliveryContext, DeliveryResult, Destination } from '../../src/domain/delivery.ts';
import type { StormSummary } from '../../src/domain/storm.ts';

/** One call of a destination. */
export interface Told {
  readonly kind: string;
  readonly news: string | undefined;
  readonly context: DeliveryContext;
}

export interface ScriptedDestination {
  readonly destination: Destination;
  readonly told: readonly Told[];
  /** Kinds of what it was told, in order. */
  kinds(): readonly string[];
}

/** A destination that answers as told and remembers what it was asked. `answer` gets the number of the call, from 1. */
export function scriptedDestination(
  name: string,
  answer: (told: Told, call: number) => DeliveryResult | Promise<DeliveryResult> = () => ({ outcome: 'ok' }),
  fields: Partial<Omit<Destination, 'deliverStorm'>> & { readonly tellsStorms?: false } = {},
): ScriptedDestination {
  const { tellsStorms = true, ...own } = fields;
  const told: Told[] = [];
  const note = async (kind: string, news: string | undefined, context: DeliveryContext) => {
    const call = { kind, news, context };
    told.push(call);
    return answer(call, told.length);
  };
  const destination: Destination = {
    name,
    tells: ['first-look', 'report', 'update', 'resolved'],
    deliver: (content: DeliveryContent, context) =>
      note(content.kind, content.kind === 'update' ? content.news : undefined, context),
    check: () => Promise.resolve({ name, status: 'ok', value: 'scripted' }),
    ...own,
    ...(tellsStorms
      ? { deliverStorm: (_storm: StormSummary, context: DeliveryContext) => note('storm', undefined, context) }
      : {}),
  };
  return { destination, told, kinds: () => told.map(({ kind }) => kind) };
}

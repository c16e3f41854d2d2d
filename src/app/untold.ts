import type { DeliveryRecord } from '../domain/delivery.ts';
import { retriable } from '../queue/deliveries/given-up.ts';
import type { IncidentDecision } from '../sessions/incident-store.ts';

const TOLD_NOBODY = 'told nobody';

/** The reason in the record of an incident whose report goes to no destination. `sink`: the rule, as of `Routing.sinkOf`. */
export function toldNobody(sink: string): string {
  return `${TOLD_NOBODY} (${sink})`;
}

/** Who was not told what an incident's report says, in words: reported does not mean told. Undefined when all are, or will be. */
export function untoldOf(
  records: readonly DeliveryRecord[] | undefined,
  decisions: readonly Pick<IncidentDecision, 'reason'>[],
): string | undefined {
  if (records === undefined) return undefined;
  if (records.length === 0)
    return decisions.findLast(({ reason }) => reason.startsWith(TOLD_NOBODY))?.reason ?? TOLD_NOBODY;
  const names = [...new Set(records.map(({ destination }) => destination))];
  const lost = names.filter((name) => retriable(records.filter(({ destination }) => destination === name)).length > 0);
  if (lost.length === 0) return undefined;
  return `${lost.length < names.length ? 'not told everywhere' : TOLD_NOBODY}: ${lost.join(', ')} gave up`;
}

import type { EventQuery, QueryResult } from '../../domain/provider.ts';
import type { ClusterEvent } from '../../domain/telemetry.ts';
import { eventBelongsTo } from '../belongs-to.ts';
import { matcher } from '../wildcard.ts';
import { answer, boundedLimit, byTime, RECORDING, type Holder } from './answer.ts';

const MOST_EVENTS = 2000;

export function findEvents(
  all: readonly ClusterEvent[],
  query: EventQuery,
  holder = RECORDING,
): QueryResult<ClusterEvent> {
  const [isOfService, isObject] = [eventBelongsTo(query.service), matcher(query.object)];
  const [isReason, isType] = [matcher(query.reason), matcher(query.type)];
  const matches = all.filter(
    (event) =>
      isWithin(event, query) &&
      isReason(event.reason) &&
      isType(event.type) &&
      (isObject(event.objectName) || isObject(`${event.objectKind}/${event.objectName}`)) &&
      isOfService(event),
  );
  const limit = boundedLimit(query.limit, MOST_EVENTS);
  const timeless = matches.filter(({ timeMs }) => Number.isNaN(timeMs)).length;
  return answer(matches.toSorted(byTime).slice(-limit), [
    matches.length > limit && `the last ${limit} of ${matches.length} matching events`,
    matches.length === 0 && nothing(all, query, holder),
    timeless > 0 && `${timeless} of them carry no time`,
  ]);
}

/** An event with a first and a last time happened at every moment between as far as anybody knows. */
function isWithin({ timeMs, firstTimeMs }: ClusterEvent, { fromMs, toMs }: EventQuery): boolean {
  if (Number.isNaN(timeMs)) return true;
  return timeMs >= fromMs && Math.min(timeMs, firstTimeMs ?? timeMs) <= toMs;
}

function nothing(all: readonly ClusterEvent[], query: EventQuery, { name, verb }: Holder): string {
  if (all.length === 0) return `${name} holds no events`;
  const reasons = [...new Set(all.filter((event) => isWithin(event, query)).map(({ reason }) => reason))];
  const known = reasons.length > 0 ? `. Reasons in this window: ${reasons.slice(0, 20).join(', ')}` : '';
  return `none of the ${all.length} ${verb} events matches${known}`;
}

import type { ChangeQuery, QueryResult } from '../../domain/provider.ts';
import type { Change } from '../../domain/telemetry.ts';
import { matcher } from '../wildcard.ts';
import { answer, boundedLimit, byTime, RECORDING } from './answer.ts';

const MOST_CHANGES = 500;

export function findChanges(
  all: readonly Change[],
  query: ChangeQuery,
  { name, verb } = RECORDING,
): QueryResult<Change> {
  const isOfService = matcher(query.service);
  const matches = all.filter(
    ({ timeMs, service }) =>
      (Number.isNaN(timeMs) || (timeMs >= query.fromMs && timeMs <= query.toMs)) &&
      (query.service === undefined || isOfService(service ?? '')),
  );
  const limit = boundedLimit(query.limit, MOST_CHANGES);
  return answer(matches.toSorted(byTime).slice(-limit), [
    matches.length > limit && `the last ${limit} of ${matches.length} matching changes`,
    matches.length === 0 &&
      (all.length === 0 ? `${name} holds no changes` : `none of the ${all.length} ${verb} changes matches`),
  ]);
}

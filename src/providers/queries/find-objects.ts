import type { ObjectQuery, QueryResult } from '../../domain/provider.ts';
import type { KubernetesObject } from '../../domain/telemetry.ts';
import { kindOf, nameOf, namespaceOf } from '../../funnel/events/identity.ts';
import { objectBelongsTo } from '../belongs-to.ts';
import { matcher } from '../wildcard.ts';
import { answer, boundedLimit, RECORDING, type Holder } from './answer.ts';

const MOST_OBJECTS = 500;

/** `isRewound`: the recording is shown as of an earlier moment, which a snapshot cannot be. `most`: given at once, whatever is asked for. */
export function findObjects(
  all: readonly KubernetesObject[],
  query: ObjectQuery,
  isRewound: boolean,
  holder = RECORDING,
  most = MOST_OBJECTS,
): QueryResult<KubernetesObject> {
  const [isKind, isName, isNamespace] = [matcher(query.kind), matcher(query.name), matcher(query.namespace)];
  const isOfService = objectBelongsTo(query.service);
  const open = all.filter((object) => kindOf(object) !== 'Secret');
  const matches = open.filter(
    (object) =>
      isKind(kindOf(object)) && isName(nameOf(object)) && isNamespace(namespaceOf(object)) && isOfService(object),
  );
  const limit = boundedLimit(query.limit, most);
  return answer(matches.slice(0, limit), [
    matches.length > limit && `the first ${limit} of ${matches.length} matching objects`,
    matches.length === 0 && nothing(open, holder),
    isRewound && matches.length > 0 && 'objects show the state when they were recorded, which may be later',
  ]);
}

/** What there is to ask for instead. */
function nothing(all: readonly KubernetesObject[], { name, verb }: Holder): string {
  if (all.length === 0) return `${name} holds no objects`;
  const counts = new Map<string, number>();
  for (const object of all) counts.set(kindOf(object), (counts.get(kindOf(object)) ?? 0) + 1);
  const kinds = [...counts].map(([kind, count]) => `${kind} ${count}`);
  return `none of the ${all.length} ${verb} objects matches. Kinds: ${kinds.slice(0, 30).join(', ')}`;
}

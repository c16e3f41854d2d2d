import type { KubernetesError } from './api-error.ts';
import { howToAllow } from './api-error.ts';
import type { ListRequest } from './pages.ts';
import { ALL_RESOURCES, inWords } from './resources.ts';

/** A list that RBAC forbids. */
export interface Refusal {
  readonly request: ListRequest;
  readonly error: KubernetesError;
}

/**
 * One message a namespace, that names each resource that was refused there and the rules that would allow them: where one right is missing the others of its role mostly are, too. In the
 * order of the table of resources.
 */
export function tellRefusals(refusals: readonly Refusal[]): readonly string[] {
  const byPlace = new Map<string | undefined, Refusal[]>();
  for (const refusal of refusals.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const { resource, namespace } = refusal.request;
    const place = resource.isNamespaced ? (namespace ?? '') : undefined;
    const known = byPlace.get(place) ?? [];
    // Asked for once more in a later step, it is refused once more.
    if (known.some(({ request }) => nameOf(request) === nameOf(refusal.request))) continue;
    byPlace.set(place, [...known, refusal]);
  }
  return [...byPlace.values()].map(tell);
}

const placeOf = ({ request }: Refusal) =>
  ALL_RESOURCES.findIndex((one) => nameOf({ resource: one }) === nameOf(request));
const nameOf = ({ resource: { group, plural } }: Pick<ListRequest, 'resource'>) => `${group}/${plural}`;

function tell(refusals: readonly Refusal[]): string {
  const [first] = refusals;
  if (first === undefined) return '';
  if (refusals.length === 1) return first.error.message;
  const { request, error } = first;
  const names = refusals.map(({ request: { resource } }) => resource.plural);
  const last = inWords(request.resource, request.namespace).replace(request.resource.plural, names.at(-1) ?? '');
  const where = request.resource.isNamespaced ? last : `${last} of the cluster`;
  const rights = refusals.map(({ request: { resource, namespace } }) => ({
    verb: 'list' as const,
    group: resource.group,
    resource: resource.plural,
    namespace,
  }));
  const user = error.user === undefined ? '' : ` by ${error.user}`;
  return `${names.slice(0, -1).join(', ')} and ${where} may not be listed${user} (HTTP 403). ${howToAllow(rights)}`;
}

import {
  ProviderError,
  type ChangeQuery,
  type EventQuery,
  type LogQuery,
  type ObjectQuery,
  type QueryResult,
} from '../../domain/provider.ts';
import type { Change, ClusterEvent, KubernetesObject, LogRecord } from '../../domain/telemetry.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { objectBelongsTo } from '../belongs-to.ts';
import type { Holder } from '../queries/answer.ts';
import { findChanges } from '../queries/find-changes.ts';
import { findEvents } from '../queries/find-events.ts';
import { findLogs } from '../queries/find-logs.ts';
import { findObjects } from '../queries/find-objects.ts';
import { matcher } from '../wildcard.ts';
import { PROVIDER } from './api-error.ts';
import { changesOf } from './changes.ts';
import { readEvents } from './events.ts';
import type { GatherOptions } from './gather.ts';
import type { ReadObject } from './listing.ts';
import { readLogs } from './logs.ts';
import { isNamespaceName, isObjectName, placesOfService, type Place } from './places.ts';
import { ClusterReading } from './reading.ts';
import { CLUSTER_RESOURCES, HOME_RESOURCES, LEASES, PODS, type Resource } from './resources.ts';

const CLUSTER: Holder = { name: 'the cluster', verb: 'listed' };

const SHOWN_RESOURCES = [...HOME_RESOURCES, ...CLUSTER_RESOURCES, LEASES].filter(({ isHistory }) => !isHistory);

/** Objects as they are now. A kind that is not read answers with the kinds that are. */
export async function queryObjects(
  options: GatherOptions,
  query: ObjectQuery,
  signal: AbortSignal,
): Promise<QueryResult<KubernetesObject>> {
  const isWanted = matcher(query.kind);
  const resources = SHOWN_RESOURCES.filter(({ kind }) => isWanted(kind));
  if (resources.length === 0) return { items: [], note: notRead(query.kind ?? '') };
  const { reading, places } = await beginReading(options, query, signal);
  const read = await readObjects(reading, options, resources, places, nameSelector(query.name), signal);
  const objects = read.map(({ object }) => object);
  return withGaps(findObjects(objects, query, false, CLUSTER, options.maxObjects), reading, signal);
}

export async function queryEvents(
  options: GatherOptions,
  query: EventQuery,
  signal: AbortSignal,
): Promise<QueryResult<ClusterEvent>> {
  const { reading, places } = await beginReading(options, query, signal);
  // Events of nodes stand in the namespace `default`.
  const all =
    places.includes(undefined) || options.namespaces.length > 0 ? places : [...new Set([...places, 'default'])];
  const selector = eventSelector(query);
  const events = await readEvents(reading, all, query, options.maxObjects, signal, selector);
  return withGaps(findEvents(events, query, CLUSTER), reading, signal);
}

const CHANGING: ReadonlySet<string> = new Set(['Pod', 'Endpoints', 'EndpointSlice', 'Job']);

export async function queryChanges(
  options: GatherOptions,
  query: ChangeQuery,
  signal: AbortSignal,
): Promise<QueryResult<Change>> {
  const { reading, places } = await beginReading(options, query, signal);
  const resources = [...HOME_RESOURCES, ...CLUSTER_RESOURCES].filter(({ kind }) => !CHANGING.has(kind));
  const [read, events] = await Promise.all([
    readObjects(reading, options, resources, places, undefined, signal),
    readEvents(reading, places, query, options.maxObjects, signal, 'reason=ScalingReplicaSet'),
  ]);
  return withGaps(findChanges(changesOf(read, events), query, CLUSTER), reading, signal);
}

export async function queryLogs(
  options: GatherOptions,
  query: LogQuery,
  signal: AbortSignal,
): Promise<QueryResult<LogRecord>> {
  const { reading, places } = await beginReading(options, query, signal);
  const read = await readObjects(reading, options, [PODS], places, undefined, signal);
  const pods = read.map(({ object }) => object).filter(objectBelongsTo(query.service));
  const { which } = options.logs;
  const logs = { ...options.logs, which: which === 'none' ? 'all' : which } as const;
  const { lines } = await readLogs(reading, logs, pods, { service: query.service }, query, signal);
  // Their pods were chosen by the service, which may be called otherwise.
  const { service: _service, ...rest } = query;
  return withGaps(await findLogs(lines, rest, signal), reading, signal);
}

type Asked = Pick<ObjectQuery, 'namespace' | 'service'>;

/** A reading, and where it has to look. */
async function beginReading({ api, namespaces }: GatherOptions, asked: Asked, signal: AbortSignal) {
  const reading = new ClusterReading(api);
  return { reading, places: await placesFor(namespaces, asked, reading, signal) };
}

/** The namespace asked for, else those of the service, else all that are open. */
async function placesFor(
  namespaces: readonly string[],
  { namespace, service }: Asked,
  reading: ClusterReading,
  signal: AbortSignal,
): Promise<readonly Place[]> {
  signal.throwIfAborted();
  const open: readonly Place[] = namespaces.length > 0 ? namespaces : [undefined];
  if (namespace !== undefined && !namespace.includes('*')) {
    const name = namespace.toLowerCase();
    if (namespaces.includes(name) || (namespaces.length === 0 && isNamespaceName(name))) return [name];
    const why =
      namespaces.length === 0
        ? 'is no name of a namespace'
        : `is not among KUBERNETES_NAMESPACES (${namespaces.join(', ')})`;
    reading.ledger.note(`${clip(oneLine(name), 80)} ${why}`);
    return [];
  }
  if (service === undefined) return open;
  const found = await placesOfService(service, namespaces, reading, signal);
  return found.length > 0 ? found : open;
}

async function readObjects(
  reading: ClusterReading,
  { maxObjects }: GatherOptions,
  resources: readonly Resource[],
  places: readonly Place[],
  fieldSelector: string | undefined,
  signal: AbortSignal,
): Promise<readonly ReadObject[]> {
  const selector = fieldSelector === undefined ? {} : { fieldSelector };
  const wanted = resources.flatMap((resource) =>
    (resource.isNamespaced ? places : [undefined]).map((namespace) => ({
      resource,
      namespace,
      most: maxObjects,
      ...selector,
    })),
  );
  const listings = await reading.readAll(wanted, signal);
  return listings.flatMap(({ kept }) => kept);
}

/** Every kind can be chosen by its whole name. */
function nameSelector(name: string | undefined): string | undefined {
  return name !== undefined && isObjectName(name) ? `metadata.name=${name}` : undefined;
}

function eventSelector({ object, reason, type }: EventQuery): string | undefined {
  const [, kind, name] = /^(?:([A-Za-z]+)\/)?(.+)$/.exec(object ?? '') ?? [];
  const fields = [
    name !== undefined && isObjectName(name) && `involvedObject.name=${name}`,
    kind !== undefined && /^[A-Z][A-Za-z]+$/.test(kind) && `involvedObject.kind=${kind}`,
    reason !== undefined && /^[A-Z][A-Za-z]+$/.test(reason) && `reason=${reason}`,
    type !== undefined && /^(Normal|Warning)$/.test(type) && `type=${type}`,
  ].filter((field) => typeof field === 'string');
  return fields.length > 0 ? fields.join(',') : undefined;
}

function notRead(kind: string): string {
  const why = /secret/i.test(kind) ? 'Secrets are never read' : `${kind} is not read`;
  return `${why}. Kinds: ${SHOWN_RESOURCES.map((one) => one.kind).join(', ')}`;
}

/** What could not be read stands in the note. When that is everything it throws: nothing found and nothing readable must not look alike. */
function withGaps<T>(result: QueryResult<T>, reading: ClusterReading, signal: AbortSignal): QueryResult<T> {
  signal.throwIfAborted();
  const messages = reading.gaps.map(({ message }) => message);
  const why = messages.length > 0 ? messages : reading.unserved;
  if (!reading.hasAnswered && why.length > 0) throw new ProviderError(PROVIDER, why.join(' '));
  const notes = [result.note, ...messages].filter((note) => note !== undefined);
  const whole = messages.length === 0 ? { isWhole: true as const } : {};
  return { items: result.items, ...(notes.length > 0 ? { note: notes.join('; ') } : {}), ...whole };
}

import type { KubernetesObject } from '../../domain/telemetry.ts';
import type { RecordingFolder } from './recorded-files.ts';
import { field, isRecord, text, type JsonRecord } from '../json-record.ts';
import { readJsonLines } from './recorded-lists.ts';

const MAX_OBJECTS = 50_000;

/** Reads `objects.jsonl` and `pods.json` as one list; undefined when there is neither. */
export async function readObjects(folder: RecordingFolder): Promise<readonly KubernetesObject[] | undefined> {
  const objects: KubernetesObject[] = [];
  let isCut = false;
  const hasObjects = await readJsonLines(folder, 'objects.jsonl', MAX_OBJECTS, (record) => {
    if (!text(record['kind'])) return false;
    // Lists hold their objects without a kind of their own.
    const added = Array.isArray(record['items']) ? toObjects(record) : [record];
    const room = MAX_OBJECTS - objects.length;
    if (added.length > room) isCut = true;
    for (const object of added.slice(0, Math.max(0, room))) objects.push(object);
    return true;
  });
  if (isCut) folder.addGap(`objects.jsonl: read ${MAX_OBJECTS} objects, left out the rest of a list.`);
  if (folder.find('pods.json') === undefined) return hasObjects ? objects : undefined;
  const value = await folder.readJson('pods.json');
  if (value === undefined) return objects;
  const pods = toObjects(value);
  if (pods.length === 0) folder.addGap('pods.json: no pod or workload in it that could be read.');
  return [...objects, ...pods.slice(0, MAX_OBJECTS)];
}

/**
 * Objects of `pods.json`, whichever of these it is: an API list, a bare list, a map of name to summary, or a map of group (`pods`,
 * `deployments`) to a list. Flat summaries become objects of the API's shape as far as their fields go.
 */
export function toObjects(value: unknown): readonly KubernetesObject[] {
  if (Array.isArray(value)) return value.filter(isRecord).map((item) => toObject(item, 'Pod'));
  if (!isRecord(value)) return [];
  if (Array.isArray(value['items'])) {
    const kind = text(value['kind']).replace(/List$/, '') || 'Pod';
    return value['items'].filter(isRecord).map((item) => toObject(item, kind));
  }
  return Object.entries(value).flatMap(([key, entry]) => {
    if (Array.isArray(entry)) return entry.filter(isRecord).map((item) => toObject(item, kindOfGroup(key)));
    if (!isRecord(entry)) return [];
    const group = GROUP_KINDS[key.toLowerCase()];
    if (group && !entry['status']) {
      return Object.entries(entry).flatMap(([name, item]) =>
        isRecord(item) ? [toObject({ name, ...item }, group)] : [],
      );
    }
    return [toObject({ name: key, ...entry }, 'Pod')];
  });
}

const GROUP_KINDS: Readonly<Record<string, string>> = {
  pods: 'Pod',
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
  replicasets: 'ReplicaSet',
  services: 'Service',
  endpoints: 'Endpoints',
  nodes: 'Node',
};

function kindOfGroup(group: string): string {
  return GROUP_KINDS[group.toLowerCase()] ?? 'Pod';
}

function toObject(record: JsonRecord, kind: string): KubernetesObject {
  const named = text(record['kind']) || kind;
  if (isRecord(record['metadata'])) return { ...record, kind: named };
  const isWorkload = named !== 'Pod' && (record['replicas'] ?? record['desired']) !== undefined;
  return isWorkload ? workloadOf(record, named) : podOf(record, named);
}

function metadataOf(record: JsonRecord): JsonRecord {
  const labels = isRecord(record['labels']) ? record['labels'] : {};
  const service = text(field(record, 'service', 'app', 'workload', 'deployment'));
  return {
    name: text(field(record, 'name', 'pod')),
    ...(text(record['namespace']) ? { namespace: text(record['namespace']) } : {}),
    labels: service ? { app: service, ...labels } : labels,
  };
}

function workloadOf(record: JsonRecord, kind: string): KubernetesObject {
  const count = (...names: string[]) => {
    const value = field(record, ...names);
    return value === undefined || Number.isNaN(Number(value)) ? undefined : Number(value);
  };
  const available = count('available', 'available_replicas', 'availableReplicas');
  const ready = count('ready', 'ready_replicas', 'readyReplicas') ?? available;
  return {
    kind,
    metadata: metadataOf(record),
    spec: { replicas: count('desired', 'replicas') },
    status: {
      ...(isRecord(record['status']) ? record['status'] : {}),
      ...(available === undefined ? {} : { availableReplicas: available }),
      ...(ready === undefined ? {} : { readyReplicas: ready }),
    },
  };
}

const PHASES = /^(Pending|Running|Succeeded|Failed|Unknown)$/i;

/** A pod from a line as `kubectl get pods` prints it, or a summary with the names of the API in snake case. */
function podOf(record: JsonRecord, kind: string): KubernetesObject {
  const shown = text(field(record, 'phase', 'status', 'state'));
  const waiting =
    text(field(record, 'waiting_reason', 'waitingReason', 'waiting')) || (PHASES.test(shown) ? '' : shown);
  const last = text(field(record, 'last_reason', 'last_termination', 'lastTermination', 'last_terminated_reason'));
  const finishedAt = field(record, 'last_finished_at', 'finished_at', 'finishedAt');
  const restarts = Number(field(record, 'restarts', 'restart_count', 'restartCount') ?? 0);
  const node = text(field(record, 'node', 'nodeName'));
  const container = {
    name: text(field(record, 'container')) || 'main',
    ready: isReady(record['ready']),
    restartCount: Number.isFinite(restarts) ? restarts : 0,
    state: waiting ? { waiting: { reason: waiting, message: text(record['message']) } } : {},
    ...(last ? { lastState: { terminated: { reason: last, ...(finishedAt ? { finishedAt } : {}) } } } : {}),
  };
  return {
    kind,
    metadata: metadataOf(record),
    spec: node ? { nodeName: node } : {},
    status: { phase: PHASES.test(shown) ? capitalised(shown) : undefined, containerStatuses: [container] },
  };
}

/** `true`, `"1/1"`, `"0/2"`; undefined when not said. */
function isReady(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const columns = /^(\d+)\/(\d+)$/.exec(text(value));
  if (!columns) return undefined;
  return columns[1] === columns[2];
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase();
}

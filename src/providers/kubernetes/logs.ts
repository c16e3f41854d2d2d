import pLimit from 'p-limit';
import type { Incident } from '../../domain/incident.ts';
import type { GatherWindow } from '../../domain/provider.ts';
import type { KubernetesObject, LogRecord } from '../../domain/telemetry.ts';
import { nameOf, namespaceOf } from '../../funnel/events/identity.ts';
import { KubernetesError } from './api-error.ts';
import { choosePods, containerLogs, serviceOfPod, type ContainerLog } from './choose-logs.ts';
import type { ClusterReading } from './reading.ts';

export interface LogOptions {
  /** `crashed`: only the last words of containers that ended. */
  readonly which: 'all' | 'crashed' | 'none';
  readonly mostPods: number;
  /** Last lines of one container. */
  readonly mostLines: number;
}

export interface ReadLogs {
  /** Since the end of the reference; without one, of the whole window. */
  readonly lines: readonly LogRecord[];
  /** The fault-free time of the same containers; none of any when that of one was not read whole, since its usual lines would be news. */
  readonly reference: readonly LogRecord[];
}

const NOTHING = { lines: [], reference: [], isCut: false };
const PARALLEL = 4;
/** A server counts bytes from the first line that it sends, so of a log with longer lines than usual the end is missing. */
const MOST_BYTES = 2_000_000;

/**
 * Logs of the containers that crashed and, unless `crashed`, of the incident's service and of others by turns. Failures become notes of the reading; what has no log
 * (a container that never started, a pod that is gone) is none.
 */
export async function readLogs(
  reading: ClusterReading,
  options: LogOptions,
  objects: readonly KubernetesObject[],
  { service }: Pick<Incident, 'service'>,
  window: GatherWindow,
  signal: AbortSignal,
): Promise<ReadLogs> {
  const { which, mostPods } = options;
  if (which === 'none') return NOTHING;
  const { pods, note } = choosePods(objects, service, which, mostPods);
  if (note !== undefined) reading.ledger.note(note);
  const isRefused = new Set<string>();
  const limit = pLimit(PARALLEL);
  const readOne = async (log: ContainerLog): Promise<ReadLog> => {
    if (signal.aborted || isRefused.has(namespaceOf(log.pod))) return NOTHING;
    const read = await reading.ledger.attempt(() => readContainer(reading, log, options, service, window, signal));
    if (read === 'refused') isRefused.add(namespaceOf(log.pod));
    return read === undefined || read === 'refused' ? NOTHING : read;
  };
  const logs = pods.flatMap((pod) => containerLogs(pod, which));
  const all = await Promise.all(logs.map((log) => limit(() => readOne(log))));
  if (signal.aborted && logs.length > 0) reading.ledger.note('not all container logs were read: the time ran out.');
  const isWhole = all.every(({ isCut }) => !isCut);
  if (!isWhole)
    reading.ledger.note('the time before the alert was not read whole from the logs, so it is compared with nothing.');
  return {
    lines: all.flatMap(({ lines }) => lines),
    reference: isWhole ? all.flatMap(({ reference }) => reference) : [],
  };
}

interface ReadLog extends ReadLogs {
  /** The fault-free time holds more than was read. */
  readonly isCut: boolean;
}

async function readContainer(
  reading: ClusterReading,
  log: ContainerLog,
  { mostLines }: LogOptions,
  service: string | undefined,
  { fromMs, toMs, reference }: GatherWindow,
  signal: AbortSignal,
): Promise<ReadLog | 'refused'> {
  const name = serviceOfPod(log.pod, service);
  const ask = async (params: Readonly<Record<string, string>>) => {
    const text = await askForLog(reading, log, { ...params, limitBytes: String(MOST_BYTES) }, signal);
    return { records: readLines(text, name), isFull: Buffer.byteLength(text) >= MOST_BYTES };
  };
  const sinceMs = reference?.toMs ?? fromMs;
  const isOver = ({ timeMs }: LogRecord) => timeMs < fromMs || timeMs > toMs;
  try {
    // Of a container that ended the last words count, whenever it said them.
    const since = log.isPrevious ? {} : { sinceTime: new Date(sinceMs).toISOString() };
    const last = (await ask({ ...since, tailLines: String(mostLines) })).records;
    const isTail = last.length >= mostLines;
    if (isTail && !log.isPrevious) noteCut(reading, log, mostLines);
    const lines = last.filter((line) => !isOver(line) && line.timeMs >= sinceMs);
    if (reference === undefined) return { lines, reference: [], isCut: false };
    const first = log.isPrevious
      ? { records: last, isFull: false }
      : await ask({ sinceTime: new Date(fromMs).toISOString() });
    const calm = first.records.filter((line) => !isOver(line) && line.timeMs < sinceMs);
    const isCut = first.isFull && (first.records.at(-1)?.timeMs ?? 0) < sinceMs;
    return { lines, reference: calm, isCut };
  } catch (error) {
    if (signal.aborted) return NOTHING;
    if (!(error instanceof KubernetesError)) throw error;
    if (error.status === 403) {
      await reading.ledger.attempt(() => Promise.reject(error));
      return 'refused';
    }
    // 400: there is no such log (yet, any more); 404: the pod is gone.
    if (error.status === 400 || error.status === 404) return NOTHING;
    throw error;
  }
}

function noteCut(reading: ClusterReading, { pod, container }: ContainerLog, mostLines: number): void {
  reading.ledger.note(
    `of the log of ${nameOf(pod)}/${container} the last ${mostLines} lines were read; raise KUBERNETES_LOG_LINES for more.`,
  );
}

/** The text of one container's log, a time stamp before each line. Throws `KubernetesError`. */
export async function askForLog(
  reading: Pick<ClusterReading, 'api' | 'ledger'>,
  { pod, container, isPrevious }: ContainerLog,
  params: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const namespace = namespaceOf(pod);
  const previous = isPrevious ? { previous: 'true' } : {};
  const query = new URLSearchParams({ container, timestamps: 'true', ...previous, ...params });
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(nameOf(pod))}/log?${query.toString()}`;
  const right = { verb: 'get', group: '', resource: 'pods/log', namespace } as const;
  const text = await reading.api.ask({ path, right, accept: 'text/plain, application/json, */*' }, signal);
  reading.ledger.characters += text.length;
  return text;
}

const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?(.*)$/s;

/** A line without a time stamp goes on with the one before it. */
export function readLines(text: string, service: string): readonly LogRecord[] {
  const records: { timeMs: number; service: string; level: string; message: string }[] = [];
  for (const line of text.split('\n')) {
    const [, stamp, message = ''] = STAMPED.exec(line) ?? [];
    const last = records.at(-1);
    if (stamp !== undefined) records.push({ timeMs: Date.parse(stamp), service, level: '', message });
    else if (last !== undefined && line !== '') last.message += `\n${line}`;
  }
  return records;
}

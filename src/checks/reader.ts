import type { Probe } from '../domain/probe.ts';
import type { EventQuery, QueryResult, TelemetryProvider } from '../domain/provider.ts';
import type { ClusterEvent, KubernetesObject, MetricSeries } from '../domain/telemetry.ts';

/** Enough for every claim or certificate of a large cluster. */
const MOST_SERIES = 2000;
const MOST_OBJECTS = 5000;
const MOST_EVENTS = 1000;
/** See KUBERNETES_ENABLED. */
const READ_KUBERNETES = 'set KUBERNETES_KUBECONFIG, or run in the cluster';

/** What could be read of one question. `note`: what was cut, or why there is nothing. */
export type Reading<T> = QueryResult<T>;

/** Nobody is there who could be asked, which is no failure: it is so until somebody changes it. */
export class NobodyToAsk extends Error {
  override readonly name = 'NobodyToAsk';
}

/** Asks the providers for what probes want. Every method throws when nobody answered, `NobodyToAsk` when nobody can. */
export interface Reader {
  readonly nowMs: number;
  /** Series of the window of so many ms before now: by the query where the provider has a language, else by the names. */
  series(source: Source, windowMs: number, signal: AbortSignal): Promise<Reading<MetricSeries>>;
  objects(
    kinds: readonly string[],
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<Reading<KubernetesObject>>;
  /** Events of a type in the window. `isSilent`: there was no event of any type. */
  events(
    type: string,
    windowMs: number,
    signal: AbortSignal,
  ): Promise<Reading<ClusterEvent> & { readonly isSilent: boolean }>;
}

export function createReader(providers: readonly TelemetryProvider[], nowMs: number): Reader {
  /** Several probes ask for the pods of a cluster: they are read once. One that failed is read again. */
  const known = new Map<string, Promise<Reading<KubernetesObject>>>();
  const objectsOf = (kind: string, namespace: string | undefined, signal: AbortSignal) => {
    const key = `${kind}\n${namespace ?? ''}`;
    const reading = known.get(key) ?? readObjects(providers, kind, namespace, signal);
    known.set(key, reading);
    reading.catch(() => known.delete(key));
    return reading;
  };
  return {
    nowMs,
    series: (source, windowMs, signal) => readSeries(providers, source, { nowMs, windowMs }, signal),
    objects: async (kinds, namespace, signal) =>
      mergeHolding(await Promise.all(kinds.map((kind) => objectsOf(kind, namespace, signal)))),
    events: (type, windowMs, signal) => readEvents(providers, type, { nowMs, windowMs }, signal),
  };
}

type Source = Pick<Probe & { kind: 'metric' }, 'query' | 'series'>;

interface Span {
  readonly nowMs: number;
  readonly windowMs: number;
}

async function readSeries(
  providers: readonly TelemetryProvider[],
  { query, series }: Source,
  { nowMs, windowMs }: Span,
  signal: AbortSignal,
): Promise<Reading<MetricSeries>> {
  const able = providers.filter((provider) => provider.queryMetrics !== undefined);
  const window = { fromMs: nowMs - windowMs, toMs: nowMs, limit: MOST_SERIES };
  const asked = able.flatMap((provider) => {
    const texts = [(provider.metricLanguage === 'names' ? series : query) ?? []].flat();
    if (texts.length === 0) return [];
    const readAll = async () => {
      const answers = texts.map(async (text) => provider.queryMetrics?.({ ...window, query: text }, signal));
      return mergeHolding((await Promise.all(answers)).filter((answer) => answer !== undefined));
    };
    return [{ name: provider.name, read: readAll }];
  });
  if (asked.length > 0) {
    const { items, note } = await firstWithItems(asked);
    // What a provider proposes instead is for whoever writes queries, not for readers of a report.
    if (items.length === 0) return { items, note: 'nothing of it is measured in the window' };
    const named = items.map((one) => ({ ...one, query: one.query ?? `${one.service}/${one.metric}` }));
    return { items: named, ...(note === undefined ? {} : { note }) };
  }
  if (able.length === 0) throw new NobodyToAsk('no provider of metrics is configured: set PROMETHEUS_URL');
  throw new NobodyToAsk(
    query === undefined
      ? 'this probe has only series: add a query to ask a server of metrics'
      : 'this probe has only a query: add series to try it on a recording',
  );
}

async function readObjects(
  providers: readonly TelemetryProvider[],
  kind: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Reading<KubernetesObject>> {
  const able = providers.filter((provider) => provider.queryObjects !== undefined);
  if (able.length === 0) throw new NobodyToAsk(`no provider of Kubernetes objects is configured: ${READ_KUBERNETES}`);
  const question = { kind, limit: MOST_OBJECTS, ...(namespace === undefined ? {} : { namespace }) };
  return firstWithItems(
    able.map((provider) => ({ name: provider.name, read: () => provider.queryObjects?.(question, signal) })),
  );
}

/** Without any of the type, whether there are events at all: else nobody knows that there was somebody to be asked. */
async function readEvents(
  providers: readonly TelemetryProvider[],
  type: string,
  { nowMs, windowMs }: Span,
  signal: AbortSignal,
): Promise<Reading<ClusterEvent> & { readonly isSilent: boolean }> {
  const able = providers.filter((provider) => provider.queryEvents !== undefined);
  if (able.length === 0) throw new NobodyToAsk(`no provider of events is configured: ${READ_KUBERNETES}`);
  const window = { fromMs: nowMs - windowMs, toMs: nowMs };
  const ask = (question: Pick<EventQuery, 'type' | 'limit'>) =>
    firstWithItems(
      able.map((provider) => ({
        name: provider.name,
        read: () => provider.queryEvents?.({ ...window, ...question }, signal),
      })),
    );
  const meant = await ask({ type, limit: MOST_EVENTS });
  if (meant.items.length > 0) return { ...meant, isSilent: false };
  const any = await ask({ limit: 1 });
  return any.items.length > 0 || any.isWhole ? { items: [], isSilent: false } : { ...any, isSilent: true };
}

interface Asked<T> {
  readonly name: string;
  readonly read: () => Promise<QueryResult<T>> | undefined;
}

/** The first answer that holds anything, in the order of the providers; else the last empty one. Throws when all failed. */
async function firstWithItems<T>(asked: readonly Asked<T>[]): Promise<Reading<T>> {
  let empty: Reading<T> | undefined;
  const failures: string[] = [];
  for (const { name, read } of asked) {
    try {
      const answer = (await read()) ?? { items: [] };
      if (answer.items.length > 0) return answer;
      // A provider that has read everything knows that there is nothing, and what it proposes instead is no gap.
      if (answer.isWhole) return { items: [], isWhole: true };
      empty = answer;
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (empty === undefined || failures.length > 0)
    throw new Error([...failures, empty?.note].filter(Boolean).join('; '));
  return empty;
}

/** One of several that hold nothing says only that; when all of them hold nothing, each says why. */
function mergeHolding<T>(readings: readonly Reading<T>[]): Reading<T> {
  const holding = readings.filter(({ items }) => items.length > 0);
  return merge(holding.length > 0 ? holding : readings);
}

function merge<T>(readings: readonly Reading<T>[]): Reading<T> {
  const notes = [...new Set(readings.flatMap(({ note }) => note ?? []))];
  const items = readings.flatMap((reading) => reading.items);
  return { items, ...(notes.length > 0 ? { note: notes.join('; ') } : {}) };
}

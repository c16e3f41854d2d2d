import type { Incident } from '../domain/incident.ts';
import { ProviderError, type GatherWindow, type TelemetryProvider } from '../domain/provider.ts';
import { capTelemetry, type TelemetryCaps } from './cap-telemetry.ts';
import { NO_TELEMETRY, type Telemetry, type Topology } from '../domain/telemetry.ts';
import { abortAfter } from '../domain/deadline.ts';

export interface GatherAllOptions {
  /** Deadline of each provider. */
  readonly timeoutMs: number;
  /** Most of all providers together. */
  readonly caps: TelemetryCaps;
  readonly signal: AbortSignal;
  /** Told once what there is by then, when some have answered with something and others have not at all. */
  readonly early?: { readonly afterMs: number; readonly tell: (soFar: Telemetry) => void };
}

/** After its deadline a provider has this long to hand over what it has. */
const GRACE_MS = 1000;

/**
 * Asks all providers at the same time and merges their answers in the order of the list. Never rejects: a provider that fails or
 * does not answer in time becomes a gap, and so does what is over the caps.
 */
export async function gatherAll(
  providers: readonly TelemetryProvider[],
  incident: Incident,
  window: GatherWindow,
  { timeoutMs, caps, signal, early }: GatherAllOptions,
): Promise<Telemetry> {
  const merged = (all: readonly Telemetry[]) => capTelemetry(mergeTelemetry(all), caps, incident.service);
  const there: (Telemetry | undefined)[] = providers.map(() => undefined);
  const answers = providers.map(async (provider, i) => {
    const answer = await gatherOne(provider, incident, window, timeoutMs, signal);
    there[i] = answer;
    return answer;
  });
  const tellEarly = ({ tell }: NonNullable<GatherAllOptions['early']>) => {
    if (!there.some((answer) => answer !== undefined && answer.rawCharacters > 0)) return;
    void merged(providers.map((provider, i) => there[i] ?? stillAway(provider))).then(tell);
  };
  const timer = early && setTimeout(() => tellEarly(early), early.afterMs);
  try {
    return await merged(await Promise.all(answers));
  } finally {
    clearTimeout(timer);
  }
}

function stillAway({ name }: TelemetryProvider): Telemetry {
  return { ...NO_TELEMETRY, gaps: [{ source: name, message: 'it has not answered yet.' }] };
}

async function gatherOne(
  provider: TelemetryProvider,
  incident: Incident,
  window: GatherWindow,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Telemetry> {
  const deadline = abortAfter(signal, timeoutMs);
  try {
    return await untilShortlyAfter(deadline, provider.gather(incident, window, deadline));
  } catch (error) {
    const known = error instanceof ProviderError || error === OVERDUE;
    const reason = error instanceof Error ? error.message : String(error);
    const message = known
      ? `nothing could be read. ${reason}`
      : `nothing could be read: it failed unexpectedly (${reason}).`;
    return { ...NO_TELEMETRY, gaps: [{ source: provider.name, message }] };
  }
}

const OVERDUE = new Error('It did not answer in time.');

/** The answer, or a rejection a little after the signal: a provider that ignores it must not hold up the investigation. */
function untilShortlyAfter<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      timer = setTimeout(() => reject(OVERDUE), GRACE_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** All lists one after the other, calls and services each once. */
function mergeTelemetry(all: readonly Telemetry[]): Telemetry {
  const join = <T>(list: (telemetry: Telemetry) => readonly T[]): readonly T[] =>
    all.flatMap((telemetry) => list(telemetry));
  return {
    series: join((one) => one.series),
    logs: join((one) => one.logs),
    spans: join((one) => one.spans),
    spanStats: join((one) => one.spanStats),
    events: join((one) => one.events),
    objects: join((one) => one.objects),
    changes: join((one) => one.changes),
    topology: mergeTopologies(all.map((one) => one.topology)),
    reference: { logs: join((one) => one.reference.logs), spans: join((one) => one.reference.spans) },
    samplingMs: all.find((one) => one.samplingMs !== undefined)?.samplingMs,
    gaps: join((one) => one.gaps),
    rawCharacters: all.reduce((sum, one) => sum + one.rawCharacters, 0),
  };
}

function mergeTopologies(all: readonly Topology[]): Topology {
  const edges = new Map(all.flatMap((one) => one.edges.map((edge) => [JSON.stringify([edge.from, edge.to]), edge])));
  return { services: [...new Set(all.flatMap((one) => one.services))], edges: [...edges.values()] };
}

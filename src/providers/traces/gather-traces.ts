import type { Incident } from '../../domain/incident.ts';
import type { GatherWindow, TimeWindow } from '../../domain/provider.ts';
import { NO_TELEMETRY, type Telemetry, type Topology } from '../../domain/telemetry.ts';
import { quantile } from '../../funnel/metrics/statistics.ts';
import { Ledger } from '../backend/ledger.ts';
import { callGraph } from './call-graph.ts';
import { chooseServices, nextTo } from './choose-services.ts';
import { fairSides } from './fair-sides.ts';
import { MOST_SPANS, readStage, type Reading, type Stage, type StageRead } from './read-stage.ts';
import { slicesOf, type Sides } from './slices.ts';
import { countable, type Trace, type TraceServer } from './trace-server.ts';
import { distinct, shortened } from './whole-traces.ts';

/** Parts of the traces, in hundredths. What is not chosen by its outcome has the largest: usual durations are told from it. */
const SHARES = { failed: 20, others: 50, neighbours: 15, slow: 15 } as const;

/**
 * The traces of the alerting service and of what is next to it: failed ones, an even part of all, and slow ones, each kind in the same way on the
 * incident's side and in the fault-free stretch. Throws `ProviderError` when the server cannot be asked at all; when the signal ends it early, what came
 * by then. `mostTraces` are read.
 */
export async function gatherTraces(
  server: TraceServer,
  mostTraces: number,
  incident: Incident,
  asked: GatherWindow,
  signal: AbortSignal,
): Promise<Telemetry> {
  const ledger = new Ledger(server.name);
  const window = { ...asked, ...countable(asked) };
  const { names, notes } = await server.services(window, signal);
  for (const note of notes) ledger.note(note);
  const counted = (await ledger.attempt(async () => server.calls?.(window, signal))) ?? [];
  if (names.length === 0) {
    ledger.note('the server has no traces of this window.');
    return toTelemetry({ incident: [], reference: [] }, window, counted, ledger);
  }
  const { services, note } = chooseServices(incident, names, counted, server.searchesAllServices);
  if (note !== undefined) ledger.note(`${note}.`);

  const measuring = ledger.attempt(async () => server.series?.(window, signal));
  const reading = { server, ledger, signal, spansLeft: MOST_SPANS };
  const read = await readStages({ reading, mostTraces, services, names, counted }, slicesOf(window));
  const measured = await measuring;
  ledger.characters += measured?.characters ?? 0;
  const sides = fairSides(read.main, read.further);
  for (const said of sides.notes) ledger.note(said);
  const chosen = howChosen([...read.main, ...read.further], services, read.near);
  if (chosen !== undefined) ledger.note(chosen);
  return { ...toTelemetry(sides, window, counted, ledger), series: measured?.series ?? [] };
}

interface Plan {
  readonly reading: Reading;
  readonly mostTraces: number;
  readonly services: Stage['services'];
  /** All services with traces, and the calls that the server knows of. */
  readonly names: readonly string[];
  readonly counted: Topology['edges'];
}

interface StagesRead {
  readonly main: readonly StageRead[];
  readonly further: readonly StageRead[];
  /** Neighbours whose traces were read. */
  readonly near: readonly string[];
}

/** One kind after the other: what tells most comes first, and tells what to ask for next. */
async function readStages(plan: Plan, slices: Sides<readonly TimeWindow[]>): Promise<StagesRead> {
  const { mostTraces, services } = plan;
  const count = slices.incident.length + slices.reference.length;
  const read = (kind: keyof typeof SHARES, of: Stage['services'], only: Stage['only']) => {
    const each = Math.max(1, Math.floor((mostTraces * SHARES[kind]) / 100 / count / of.length));
    return readStage(plan.reading, { kind, services: of, each, only }, slices);
  };
  const failed = await read('failed', services, { failedOnly: true });
  const others = await read('others', services, {});
  const near = nextTo(services, callGraph(tracesOf([failed, others]), plan.counted), plan.names);
  const further = near.length === 0 ? [] : [await read('neighbours', near, {})];
  const usual = others.reference.flatMap((traces) => traces ?? []);
  const minDurationMs = slowerThanUsual(usual, services);
  if (minDurationMs !== undefined) further.push(await read('slow', services, { minDurationMs }));
  return { main: [failed, others], further, near };
}

function tracesOf(reads: readonly StageRead[]): readonly Trace[] {
  return reads.flatMap(({ incident, reference }) => [...incident, ...reference].flatMap((traces) => traces ?? []));
}

/** With fewer traces than this one cannot tell what is slow. */
const LEAST_TRACES = 20;
const SLOW_QUANTILE = 0.95;
const SLOW_FACTOR = 2;

/** How long a span of the services has to take to be slow, ms: twice what 95 of 100 usual traces stay below. */
function slowerThanUsual(usual: readonly Trace[], services: Stage['services']): number | undefined {
  const own = (service: string) => services.includes(undefined) || services.includes(service);
  const longest = usual
    .map((trace) => trace.reduce((most, span) => (own(span.service) ? Math.max(most, span.durationUs) : most), -1))
    .filter((durationUs) => durationUs >= 0);
  if (longest.length < LEAST_TRACES) return undefined;
  return Math.ceil((SLOW_FACTOR * quantile(longest, SLOW_QUANTILE)) / 1000);
}

/** How the traces were chosen, when there were more than were read. */
function howChosen(
  reads: readonly StageRead[],
  services: Stage['services'],
  near: readonly string[],
): string | undefined {
  if (!reads.some(({ hasMore }) => hasMore)) return undefined;
  const first = reads[0];
  const count = (first?.incident.length ?? 0) + (first?.reference.length ?? 0);
  const kinds = reads.map(
    ({ stage }) =>
      `${stage.each} ${stage.kind === 'neighbours' ? `of each neighbour (${near.join(', ')})` : stage.kind}`,
  );
  const whose = services.map((service) => service ?? 'all services').join(', ');
  return (
    `a part of the traces of ${whose} was read: of each of ${count} stretches of time at most ${kinds.join(', ')}, chosen in the same way of the fault-free ` +
    'time; failures among them are more than among all calls.'
  );
}

/** Servers count in whole seconds, outwards, and correct the clocks of spans. */
const CLOCKS_US = 60_000_000;

/** Whether a span of the trace began in the window: then that is what was found. */
function beginsIn({ fromMs, toMs }: TimeWindow): (trace: Trace) => boolean {
  const [fromUs, toUs] = [fromMs * 1000 - CLOCKS_US, toMs * 1000 + CLOCKS_US];
  return (trace) => trace.some(({ timeUs }) => timeUs >= fromUs && timeUs <= toUs);
}

/** Traces are handed on whole, on the side on which they begin. */
function toTelemetry(
  sides: Sides<readonly Trace[]>,
  window: GatherWindow,
  counted: Topology['edges'],
  ledger: Ledger,
): Telemetry {
  const found = distinct([...sides.incident, ...sides.reference]);
  const meant = found.filter(beginsIn(window));
  if (meant.length < found.length)
    ledger.note(`${found.length - meant.length} traces of another time than was asked for were left out.`);
  const { traces, cut } = shortened(meant);
  if (cut !== undefined) ledger.note(`${cut}.`);
  const borderUs = (window.reference?.toMs ?? Number.NEGATIVE_INFINITY) * 1000;
  const isUsual = (trace: Trace) => (trace[0]?.timeUs ?? 0) < borderUs;
  const hasReference = sides.reference.length > 0;
  return {
    ...NO_TELEMETRY,
    spans: traces.filter((trace) => !isUsual(trace)).flat(),
    reference: { logs: [], spans: hasReference ? traces.filter(isUsual).flat() : [] },
    topology: callGraph(traces, counted),
    gaps: ledger.gaps,
    rawCharacters: ledger.characters,
  };
}

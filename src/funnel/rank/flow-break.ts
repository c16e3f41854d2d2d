import { changeInWords, metricFact } from '../metrics/metric-evidence.ts';
import { isPerSecond } from '../metrics/metric-unit.ts';
import { measureLevel, type SeriesView } from '../metrics/series-view.ts';
import { finiteRows } from '../metrics/usable-samples.ts';
import { saturate } from '../metrics/effect.ts';
import { groupBy, percent, type Clue, type RankContext } from './clue.ts';
import { onGrid, pickSeries } from './symptom.ts';

/** Half strength at this many usual spreads. */
const HALF_SURPRISE = 2.5;
/** A ratio of two rates is never known better than by some 15 %. */
const FLOOR = 0.15;
/** While less than a third of the calls is gone, the mix of requests may as well have changed. */
const LEAST_LOSS = 0.33;
/** A rate is seen as zero between two samples now and then: logarithms keep this part of its usual level. */
const LEAST_LEVEL = 0.05;
/** Calls usual in that stretch: fewer come and go by chance (a count of n varies by √n). */
const MIN_COUNT = 20;
const PIECE_MS = 60_000;
/** A single callee that gets less is rather unreachable than spared: it bears more of the blame than its caller. */
const ONE_CALLEE = 0.5;
const CALLER_OF_ONE = 0.35;
/** Requests beyond their 95th percentile by this part of the usual level are a surge, which need not go on to the callees. */
const SURGE = 0.2;

const REQUESTS = { classes: ['requests'] } as const;

/**
 * A path that breaks off inside a service. Measures, for each service, all the calls it makes against the requests it gets: code that returns early or
 * throws before it calls on leaves its own requests as they were, while the services below it have less to do. Works on the ratio of the two rates,
 * which stays put when the load changes. Several callees that get less are not called any more; a single one may be down itself.
 * Needs requests of the service, and of its calls (per edge) or of its callees.
 */
export function flowBreakClues(context: RankContext): Clue[] {
  const { seriesOf, model } = context;
  const starved = starvedCallers(context);
  return [...seriesOf.keys()].flatMap((caller) => {
    const requests = pickSeries(context, caller, REQUESTS);
    if (!requests || isSurge(requests) || requests.baseline.median <= 0) return [];
    const onEdges = callsByCallee(context, caller);
    const calls = [...model.services.callees(caller)].flatMap(
      (callee) => onEdges.get(callee) ?? requestsOfCallee(context, starved.get(callee) ?? [], caller, callee) ?? [],
    );
    return calls.length > 0 ? flowBreakClue(context, requests, calls) : [];
  });
}

function isSurge({ baseline, incident }: SeriesView): boolean {
  return baseline.median + incident.rise > baseline.q95 + SURGE * baseline.median;
}

/** Of each service the callers that have fewer requests to pass on. */
function starvedCallers(context: RankContext): ReadonlyMap<string, readonly string[]> {
  const starved = [...context.seriesOf.keys()].filter((service) => hasLostRequests(context, service));
  const edges = starved.flatMap((caller) =>
    [...context.model.services.callees(caller)].map((callee) => ({ caller, callee })),
  );
  const byCallee = groupBy(edges, ({ callee }) => callee);
  return new Map([...byCallee].map(([callee, group]) => [callee, group.map(({ caller }) => caller)]));
}

/** Fewer requests than it gets in a usual trough: a load that swings by half loses a third of its middle every time. */
function hasLostRequests(context: RankContext, service: string): boolean {
  const requests = pickSeries(context, service, REQUESTS);
  if (!requests) return false;
  const { baseline, incident } = requests;
  return incident.fall > Math.max(LEAST_LOSS * baseline.median, baseline.median - baseline.q05);
}

/** Calls counted on the edges of a caller; of several counts of one edge the first. */
function callsByCallee({ callsOf }: RankContext, caller: string): ReadonlyMap<string, SeriesView> {
  const counts = (callsOf.get(caller) ?? []).filter(({ metricClass }) => metricClass === 'requests');
  const byCallee = new Map<string, SeriesView>();
  for (const view of counts) if (view.edge && !byCallee.has(view.edge.callee)) byCallee.set(view.edge.callee, view);
  return byCallee;
}

/** All requests of a callee, when none of its other callers, which the service itself does not feed, lost its own. */
function requestsOfCallee(
  context: RankContext,
  starved: readonly string[],
  caller: string,
  callee: string,
): SeriesView | undefined {
  const fed = context.model.services.callees(caller);
  const isLostAbove = starved.some((other) => other !== caller && !fed.has(other));
  return isLostAbove ? undefined : pickSeries(context, callee, REQUESTS);
}

/** Calls that no longer follow the requests. */
interface Loss {
  /** Part of the calls that is gone, 0–1. */
  readonly share: number;
  readonly surprise: number;
}

/** What is lost of the sum of some calls, in relation to the requests that cause them. */
function lossOf(context: RankContext, requests: SeriesView, calls: readonly SeriesView[]): Loss {
  const { timesMs, stepMs } = requests;
  const total = new Float64Array(timesMs.length);
  for (const view of calls) onGrid(view, timesMs, stepMs).forEach((value, i) => (total[i] = (total[i] ?? 0) + value));
  const usual = calls.reduce((sum, { baseline }) => sum + baseline.median, 0);
  const counted = usual * calls.reduce((most, view) => Math.max(most, countsPerUnit(view)), 0);
  const ratios = total.map(
    (value, i) => logLevel(value, usual) - logLevel(requests.values[i] ?? NaN, requests.baseline.median),
  );
  const known = finiteRows(timesMs, ratios);
  const { baseline, incident } = measureLevel(known.timesMs, known.values, context.model.window, stepMs);
  if (counted < MIN_COUNT || baseline.count === 0 || incident.count === 0) return { share: 0, surprise: 0 };
  const spread = Math.max(baseline.spread, 0.4 * (baseline.median - baseline.q05));
  return {
    share: Math.max(0, 1 - Math.exp(-incident.fall)),
    surprise: incident.fall / (spread + FLOOR + 1 / Math.sqrt(counted)),
  };
}

/** How many calls a value of one stands for in the stretch that a level is measured over; a value that is no rate is a count already. */
function countsPerUnit(view: SeriesView): number {
  const { stepMs } = view;
  return isPerSecond(view) ? Math.max(PIECE_MS, 2 * stepMs) / 1000 : Math.max(1, PIECE_MS / stepMs);
}

function logLevel(value: number, usual: number): number {
  return Math.log(Math.max(value, LEAST_LEVEL * usual));
}

/** A count that also rose at another moment is told by that rise, which would say the opposite. */
function isFall({ incident }: SeriesView): boolean {
  return incident.fall > incident.rise;
}

function inBrackets(changes: readonly string[]): string {
  return changes.length > 0 ? ` (${changes.join('; ')})` : '';
}

function flowBreakClue(context: RankContext, requests: SeriesView, calls: readonly SeriesView[]): Clue[] {
  const all = lossOf(context, requests, calls);
  if (all.share < LEAST_LOSS) return [];
  const { service } = requests;
  const broken = calls
    .map((view) => ({ view, loss: lossOf(context, requests, [view]) }))
    .filter(({ loss }) => loss.share >= LEAST_LOSS && loss.surprise >= HALF_SURPRISE)
    .sort((a, b) => b.view.baseline.median - a.view.baseline.median);
  const shown = broken.length > 0 ? broken.slice(0, 2).map(({ view }) => view) : calls.slice(0, 2);
  const strength = all.share * saturate(all.surprise, HALF_SURPRISE);
  const said = `${service} gets its usual requests but passes ${percent(all.share)} fewer on`;
  const common = {
    type: 'flow-break',
    statement: () => `${said}${inBrackets(shown.filter(isFall).map(changeInWords))}`,
    rootCauseType: 'unknown',
    facts: () => [...shown, requests].map((view) => metricFact(view, context.model.triggerMs)),
  } as const;
  const [only, ...others] = broken;
  if (!only || others.length > 0) return [{ ...common, service, strength }];
  const callee = only.view.edge?.callee ?? only.view.service;
  return [
    { ...common, service, strength: CALLER_OF_ONE * strength },
    { ...common, service: callee, strength: ONE_CALLEE * strength },
  ];
}

import { largest, sum } from '../metrics/statistics.ts';
import { changeInWords, metricFact } from '../metrics/metric-evidence.ts';
import { secondsPerUnit } from '../metrics/metric-class.ts';
import { saturate } from '../metrics/effect.ts';
import { percent, type Clue, type RankContext } from './clue.ts';
import { measureFlow, type Flow } from './flow.ts';
import { natureOf } from './service-nature.ts';
import { namedSymptoms, pickSeries, SYMPTOM_CLASSES, type SymptomKind } from './symptom.ts';

/** A kind of symptom the alert does not name counts a little less. */
const UNNAMED_SYMPTOM = 0.8;
/** What is left at the alerting service itself is the least specific explanation. */
const ALERTING_SERVICE = 0.6;
/** Failures of a service that waits for a callee many times longer than usual are time-outs. */
const TIME_OUTS = 0.35;
const SLOW_FACTOR = 4;
const SLOW_SECONDS = 0.1;
const LATENCY_FLOOR = 0.1;
const SERVICE_FLOOR = 0.05;

/**
 * Own share of the symptom. Measures how much of the alerting service's own trouble (excess seconds of latency, or failed
 * requests, per sample) arises in each service itself: its excess minus the excess of what it calls. Works in absolute flow
 * units (excess × requests), which add up along calls where ratios and z-scores do not. Samples are weighted by the alert's
 * own excess, so no onset time is needed. Abstains when no other service carries the alerting service's metric.
 */
export function shareClues(context: RankContext): Clue[] {
  const named = namedSymptoms(context.model.alertText);
  return (['latency', 'failure'] as const).flatMap((kind) => {
    const symptom = measureSymptom(context, kind);
    return symptom ? attribute(context, symptom, kind, named.has(kind) ? 1 : UNNAMED_SYMPTOM) : [];
  });
}

interface Symptom {
  readonly alerting: string;
  readonly flows: ReadonlyMap<string, Flow>;
  /** Weight of each grid sample, summing to 1: where the alert's own excess stands out. */
  readonly weights: Float64Array;
  /** How clearly the alerting service itself is in trouble, 0–1. */
  readonly strength: number;
  readonly size: number;
  readonly countsRequests: boolean;
}

function measureSymptom(context: RankContext, kind: SymptomKind): Symptom | undefined {
  const { model, reachable } = context;
  const alerting = model.services.alerting;
  if (alerting === undefined) return undefined;
  const nodes = reachable ?? new Set(model.services.names);
  const classes = SYMPTOM_CLASSES[kind];
  const words = alertWords(model.alertText);
  const own = pickSeries(context, alerting, {
    classes,
    words,
    sharedMetrics: metricsOfOthers(context, nodes, alerting),
  });
  if (!own || own.baseline.count < 4) return undefined;
  const grid = own.timesMs.subarray(own.incidentRows.from, own.incidentRows.to);
  if (grid.length === 0) return undefined;

  const requests = new Map([...nodes].map((node) => [node, pickSeries(context, node, { classes: ['requests'] })]));
  const counted = [...requests.values()].filter((view) => view !== undefined).length;
  const countsRequests = requests.get(alerting) !== undefined && counted >= 0.5 * nodes.size;
  const flows = new Map<string, Flow>();
  for (const node of nodes) {
    const view = node === alerting ? own : pickSeries(context, node, { classes, metric: own.metric, words });
    const load = requests.get(node);
    if (!view || view.baseline.count < 3) continue;
    const flow = measureFlow(view, load, countsRequests, grid);
    // Seconds or fractions without their requests are no flow that could be added up with the others.
    if (flow.isFlow || !countsRequests) flows.set(node, flow);
  }
  const ownFlow = flows.get(alerting);
  return ownFlow && alignToSymptom(alerting, ownFlow, flows, countsRequests);
}

function alertWords(text: string): string[] {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => word.length > 2);
}

function metricsOfOthers(context: RankContext, nodes: ReadonlySet<string>, alerting: string): Set<string> {
  const others = context.model.series.filter((view) => view.service !== alerting && nodes.has(view.service));
  return new Set(others.map((view) => view.metric));
}

function alignToSymptom(
  alerting: string,
  own: Flow,
  flows: ReadonlyMap<string, Flow>,
  countsRequests: boolean,
): Symptom | undefined {
  const noise = own.noise * 0.75;
  let raw = own.excess.map((excess) => Math.max(0, excess - noise));
  // A symptom inside its usual noise is still the alert's symptom; take it at half strength.
  if (sum(raw) <= 0) raw = own.excess.map((excess) => Math.max(0, excess - noise / 4) / 2);
  const total = sum(raw);
  if (total <= 0) return undefined;
  const weights = raw.map((weight) => weight / total);
  const size = project(own.excess, weights);
  const floor = own.noise + own.tolerated + LATENCY_FLOOR * Math.abs(own.usual) * Math.max(own.requests, 1e-9) + 1e-12;
  return { alerting, flows, weights, strength: saturate(size, floor), size, countsRequests };
}

function project(excess: Float64Array, weights: Float64Array): number {
  let total = 0;
  for (let i = 0; i < weights.length; i++) total += (excess[i] ?? 0) * (weights[i] ?? 0);
  return total;
}

function attribute(context: RankContext, symptom: Symptom, kind: SymptomKind, kindWeight: number): Clue[] {
  const { services } = context.model;
  const inside = servicesInside(context, symptom, kind);
  const excess = new Map(inside.map(([name, flow]) => [name, Math.max(0, project(flow.excess, symptom.weights))]));
  return inside.flatMap(([service, flow]) => {
    const own = ownExcess(service, excess, services);
    const share = symptom.size > 0 ? own / symptom.size : 0;
    const z = own / (flow.noise + SERVICE_FLOOR * Math.abs(flow.usual) * flow.requests + 1e-12);
    const isAlerting = service === symptom.alerting;
    const specific =
      (isAlerting ? ALERTING_SERVICE : 1) * (kind === 'failure' && timesOut(context, service) ? TIME_OUTS : 1);
    const strength = Math.min(1, share) * saturate(z, 0.5) * symptom.strength * kindWeight * specific;
    if (strength <= 0) return [];
    return [shareClue(context, symptom, kind, flow, Math.min(1, share), strength)];
  });
}

/** True when a callee became so slow that its caller may give up on it: the failure is counted at the caller, its cause lies below. */
function timesOut(context: RankContext, service: string): boolean {
  return [...context.model.services.callees(service)].some((callee) => {
    const latency = pickSeries(context, callee, { classes: ['latency'] });
    if (!latency || latency.baseline.count === 0 || latency.incident.count === 0) return false;
    const { rise } = latency.incident;
    const isMuchSlower = rise >= (SLOW_FACTOR - 1) * latency.baseline.median;
    return isMuchSlower && rise * secondsPerUnit(latency.metric, latency.source.unit) >= SLOW_SECONDS;
  });
}

/** Excess that no callee explains. A callee's excess is divided among its callers by their own excess. */
function ownExcess(
  service: string,
  excess: ReadonlyMap<string, number>,
  services: RankContext['model']['services'],
): number {
  let explained = 0;
  for (const callee of services.callees(service)) {
    const calleeExcess = excess.get(callee);
    if (calleeExcess === undefined) continue;
    let callersExcess = 0;
    for (const caller of services.callers(callee)) callersExcess += excess.get(caller) ?? 0;
    if (callersExcess > 0) explained += calleeExcess * ((excess.get(service) ?? 0) / callersExcess);
  }
  return Math.max(0, (excess.get(service) ?? 0) - explained);
}

/**
 * Services whose time can lie inside the alerting service's. A callee usually slower than one and a half times the caller's
 * slowest percentile, yet called often, must be asynchronous: neither it nor what only it calls is in the path.
 */
function servicesInside(context: RankContext, symptom: Symptom, kind: SymptomKind): [string, Flow][] {
  const all = [...symptom.flows];
  if (!context.reachable) return all;
  const { services } = context.model;
  const asynchronous = kind === 'latency' ? asynchronousServices(context, symptom) : new Set<string>();
  const inside = new Set([symptom.alerting]);
  for (const service of inside) {
    for (const callee of services.callees(service)) if (!asynchronous.has(callee)) inside.add(callee);
  }
  return all.filter(([service]) => inside.has(service));
}

const OFTEN_CALLED = 0.015;

function asynchronousServices(context: RankContext, symptom: Symptom): Set<string> {
  const latencies = (context.seriesOf.get(symptom.alerting) ?? []).filter(
    (view) => view.metricClass === 'latency' && !view.edge && view.baseline.count > 0,
  );
  const tail = largest(latencies.map((view) => view.baseline.median * secondsPerUnit(view.metric, view.source.unit)));
  const requests = symptom.flows.get(symptom.alerting)?.requests ?? 0;
  const found = new Set<string>();
  if (tail <= 0) return found;
  for (const [service, flow] of symptom.flows) {
    const often = !symptom.countsRequests || flow.requests >= OFTEN_CALLED * requests;
    if (service !== symptom.alerting && often && flow.usual > 1.5 * tail) found.add(service);
  }
  return found;
}

function shareClue(
  context: RankContext,
  symptom: Symptom,
  kind: SymptomKind,
  flow: Flow,
  share: number,
  strength: number,
): Clue {
  const { triggerMs } = context.model;
  const what = kind === 'latency' ? 'latency' : 'failed requests';
  const own = symptom.flows.get(symptom.alerting);
  const views = own && own !== flow ? [flow.view, own.view] : [flow.view];
  return {
    type: 'share',
    service: flow.view.service,
    strength,
    statement: () =>
      `about ${percent(share)} of the extra ${what} of ${symptom.alerting} arises in ${flow.view.service} itself (${changeInWords(flow.view)})`,
    rootCauseType: flow.surge ? 'traffic_surge' : natureOf(flow.view.service),
    facts: () => views.map((view) => metricFact(view, triggerMs)),
  };
}

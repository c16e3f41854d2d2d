import type { Incident } from '../domain/incident.ts';
import type { KubernetesObject, MetricSeries, Telemetry, Topology } from '../domain/telemetry.ts';
import { textAt } from './events/json-path.ts';
import { shownExpression } from './metrics/alert-expression.ts';
import { edgeOfMetric } from './metrics/metric-class.ts';
import { viewSeries, type IncidentWindow, type SeriesView } from './metrics/series-view.ts';
import { commonOnset } from './metrics/onset.ts';
import { median } from './metrics/statistics.ts';
import { ratesOf, withUsableSamples } from './metrics/usable-samples.ts';
import { mapServices, type ServiceMap } from './services.ts';

/** An incident and its telemetry on one clock, with one name a service: what every layer and the ranker read. */
export interface IncidentModel {
  readonly incident: Incident;
  readonly telemetry: Telemetry;
  readonly triggerMs: number;
  /** Where the incident lies; all before it is baseline. */
  readonly window: IncidentWindow;
  readonly samplingMs: number;
  readonly services: ServiceMap;
  /** What the alert says in words: name, title and annotations. Untrusted. */
  readonly alertText: string;
  readonly series: readonly SeriesView[];
}

const DEFAULT_SAMPLING_MS = 60_000;

export function modelIncident(incident: Incident, given: Telemetry): IncidentModel {
  const triggerMs = incident.startsAtMs;
  const series = given.series.map((each) => withUsableSamples(each, triggerMs));
  const telemetry: Telemetry = { ...given, series };
  const samplingMs = usualStep(telemetry);
  const window = incidentWindow(incident, telemetry, samplingMs);
  // A check names a place to look at, no service that complains: all are candidates.
  const services = servicesOf(telemetry, incident.kind === 'check' ? undefined : incident.service);
  return {
    incident,
    telemetry,
    triggerMs,
    window,
    samplingMs,
    services,
    alertText: alertText(incident),
    series: viewAll(incident, telemetry, services, window),
  };
}

const BEFORE_MS = 240_000;
/** A check comes at no special moment: trouble of its last minutes counts, however it began. */
const BEFORE_CHECK_MS = 600_000;
const AFTER_MS = 180_000;

/**
 * From max(4 min, 2 samples) before the trigger, for alerts fire late, to max(3 min, 4 samples) after it. A short recording keeps
 * at least two thirds of what precedes the trigger as baseline, unless many of its series changed together before that. A check looks at the last
 * 10 min that it read.
 */
function incidentWindow(incident: Incident, telemetry: Telemetry, samplingMs: number): IncidentWindow {
  const triggerMs = incident.startsAtMs;
  const mostMs = incident.kind === 'check' ? BEFORE_CHECK_MS : BEFORE_MS;
  const firstMs = telemetry.series.reduce((first, { timesMs }) => Math.min(first, timesMs[0] ?? first), triggerMs);
  const third = firstMs < triggerMs ? (triggerMs - firstMs) / 3 : mostMs;
  const latestMs = triggerMs - Math.max(Math.min(mostMs, third), 2 * samplingMs);
  const onsetMs = third < mostMs ? commonOnset(telemetry.series.map(ratesOf), triggerMs, samplingMs) : undefined;
  return {
    triggerMs,
    // A sample before the change may hold a part of it.
    fromMs: onsetMs === undefined ? latestMs : Math.min(latestMs, onsetMs - samplingMs),
    toMs: triggerMs + Math.max(AFTER_MS, 4 * samplingMs),
  };
}

function alertText(incident: Incident): string {
  const alerts = incident.alerts.slice(0, 20);
  const texts = [incident.labels['alertname'], incident.title, incident.labels['metric']];
  for (const annotations of [incident.annotations, ...alerts.map((alert) => alert.annotations)]) {
    texts.push(...Object.values(annotations));
  }
  return [...new Set(texts.filter((text) => text))].join(' ');
}

function stepOf(series: MetricSeries): number | undefined {
  const times = series.timesMs;
  if (times.length < 4) return undefined;
  const step = median(times.subarray(1).map((time, i) => time - (times[i] ?? 0)));
  return step > 0 ? step : undefined;
}

function usualStep(telemetry: Telemetry): number {
  if (telemetry.samplingMs) return telemetry.samplingMs;
  const steps = telemetry.series.slice(0, 200).flatMap((series) => stepOf(series) ?? []);
  return steps.length ? median(steps) : DEFAULT_SAMPLING_MS;
}

function viewAll(
  incident: Incident,
  { series: all, samplingMs }: Telemetry,
  services: ServiceMap,
  window: IncidentWindow,
): SeriesView[] {
  const plainKey = (series: MetricSeries) => `metric:${services.canonical(series.service)}/${series.metric}`;
  const sharing = new Map<string, number>();
  for (const series of all) sharing.set(plainKey(series), (sharing.get(plainKey(series)) ?? 0) + 1);
  const taken = new Map<string, number>();
  return all.map((series) => {
    const plain = plainKey(series);
    const service = services.canonical(series.service);
    const instance = (sharing.get(plain) ?? 0) > 1 ? instanceOf(series, service) : undefined;
    const wanted = instance ? `${plain}{${instance}}` : plain;
    const seen = taken.get(wanted) ?? 0;
    taken.set(wanted, seen + 1);
    const key = seen ? `${wanted}#${seen + 1}` : wanted;
    const stepMs = samplingMs ?? stepOf(series) ?? DEFAULT_SAMPLING_MS;
    const canonical = (name: string) => services.canonical(name);
    return viewSeries(series, {
      window,
      stepMs,
      key,
      service,
      instance,
      canonical,
      expression: shownExpression(series, incident),
    });
  });
}

/** What tells a series from its siblings: the pod it was folded from, else its labels. */
function instanceOf(series: MetricSeries, service: string): string | undefined {
  if (series.service !== service) return series.service;
  const labels = Object.entries(series.labels ?? {}).filter(([, value]) => value !== service);
  return labels.length ? labels.map(([name, value]) => `${name}=${value}`).join(',') : undefined;
}

function servicesOf(telemetry: Telemetry, alerting: string | undefined): ServiceMap {
  const mentioned = mentionedNames(telemetry);
  // Twice: edges seen in telemetry carry pod and differently spelled names, which only a first map can make canonical.
  const names = mapServices(telemetry.topology, mentioned, alerting);
  const edges = [...telemetry.topology.edges, ...observedEdges(telemetry, names)];
  const topology: Topology = { services: telemetry.topology.services, edges };
  return mapServices(topology, mentioned, alerting);
}

/** Calls seen in spans, span statistics and per-edge metrics. */
function observedEdges(telemetry: Telemetry, names: ServiceMap): { from: string; to: string }[] {
  const edges = new Map<string, { from: string; to: string }>();
  const add = (caller: string, callee: string) => {
    if (!caller || !callee || caller === callee) return;
    const [from, to] = [names.canonical(caller), names.canonical(callee)];
    if (from !== to) edges.set(`${from}\n${to}`, { from, to });
  };
  const spanService = new Map(telemetry.spans.map((span) => [span.spanId, span.service]));
  for (const span of telemetry.spans) add(spanService.get(span.parentId) ?? '', span.service);
  for (const stats of telemetry.spanStats) {
    if (names.has(names.canonical(stats.parentService))) add(stats.parentService, stats.service);
  }
  for (const series of telemetry.series) {
    const edge = edgeOfMetric(series.metric);
    if (edge?.peerIs === 'callee') add(series.service, edge.peer);
    else if (edge && names.has(names.canonical(edge.peer))) add(edge.peer, series.service);
  }
  return [...edges.values()];
}

function mentionedNames(telemetry: Telemetry): Set<string> {
  const names = new Set<string>();
  for (const series of telemetry.series) names.add(series.service);
  for (const record of telemetry.logs) names.add(record.service);
  for (const span of telemetry.spans) names.add(span.service);
  for (const stats of telemetry.spanStats) names.add(stats.service);
  for (const change of telemetry.changes) if (change.service) names.add(change.service);
  for (const event of telemetry.events) {
    const name = event.service ?? (WORKLOAD_KINDS.has(event.objectKind) ? event.objectName : undefined);
    if (name) names.add(name);
  }
  for (const object of telemetry.objects) {
    const name = workloadName(object);
    if (name) names.add(name);
  }
  return names;
}

const WORKLOAD_KINDS = new Set(['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'Service']);

function workloadName(object: KubernetesObject): string | undefined {
  return WORKLOAD_KINDS.has(textAt(object, 'kind') ?? '') ? textAt(object, 'metadata', 'name') : undefined;
}

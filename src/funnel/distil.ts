import { TELEMETRY_KINDS, type Brief, type TelemetryKind } from '../domain/brief.ts';
import { EvidenceBook } from '../domain/evidence.ts';
import type { Incident } from '../domain/incident.ts';
import type { Gap, Telemetry } from '../domain/telemetry.ts';
import { callPath } from './brief/call-path.ts';
import type { LayerName } from './brief/layer-sections.ts';
import { writeBrief } from './brief/write-brief.ts';
import { readState } from './events/read-state.ts';
import { modelIncident, type IncidentModel } from './incident-model.ts';
import { inOrder } from './in-order.ts';
import { readLogs } from './logs/log-layer.ts';
import type { LogLayerInput } from './logs/log-measures.ts';
import { templateLogs, type TemplatedLogs } from './logs/templated-logs.ts';
import { metricFact } from './metrics/metric-evidence.ts';
import { readMetrics } from './metrics/read-metrics.ts';
import { findTrouble } from './rank/trouble.ts';
import { rankSuspects } from './rank/rank-suspects.ts';
import { readTraces } from './traces/read-traces.ts';

export interface DistilOptions {
  /** Most estimated tokens of the brief's text. */
  readonly tokenBudget: number;
  /** Events further from the trigger do not count. */
  readonly eventWindowMs: number;
  /** Called after each stage with its name. The caller owns the clock. */
  readonly onStage?: (stage: string) => void;
}

/** An alert on many pods shows the same thing many times. */
const MAX_ALERT_METRICS = 2;

/** Characters a token that a naive prompt is charged with: the usual rule of thumb, and the one that published ratios use. */
const RAW_CHARACTERS_PER_TOKEN = 4;

/** The funnel: everything the providers returned becomes ranked suspects and one brief within the token budget. Pure and deterministic. */
export function distil(incident: Incident, given: Telemetry, options: DistilOptions): Brief {
  const stage = <T>(name: string, result: T): T => {
    options.onStage?.(name);
    return result;
  };
  const telemetry = inOrder(given);
  const book = new EvidenceBook();
  const model = stage('model', modelIncident(incident, telemetry));
  const templated = stage('templates', templateLogs(telemetry.logs, telemetry.reference.logs));
  const logs = stage('logs', readLogs(logInput(model, templated)));
  const metrics = stage('metrics', readMetrics(model));
  const traces = stage('traces', readTraces(model));
  const state = stage('state', readState(model, { eventWindowMs: options.eventWindowMs }));
  const ranking = stage('rank', rankSuspects(model, { templated, states: state.findings }, book));
  const trouble = incident.kind === 'check' ? findTrouble(model, state.findings, ranking, book) : undefined;
  const alertMetricIds = model.series
    .filter(({ source, incident: { count } }) => source.fromAlert && count > 0)
    .slice(0, MAX_ALERT_METRICS)
    .map((view) => metricFact(view, model.triggerMs))
    .map(({ key, evidence }) => book.add(key, evidence));
  const kindsRead = kindsIn(model);
  const first = ranking.suspects[0];
  const scores = new Map(ranking.suspects.map(({ service, score }) => [service, score]));
  const scoreOf = (service: string) => scores.get(service) ?? 0;
  const { alerting } = model.services;
  // What was seen to be called, else what pods are told to call.
  const pathFrom = (service: string) =>
    callPath(model.services, service, scoreOf) ??
    callPath({ alerting, callers: (name) => state.callers(name) }, service, scoreOf);
  return stage(
    'brief',
    writeBrief({
      incident,
      layers: { metrics, logs, state: state.layer, traces },
      unread: unreadLayers(telemetry),
      background: state.left,
      ranking,
      book,
      gaps: [...telemetry.gaps, ...silentKinds(kindsRead, telemetry)],
      kindsRead,
      trouble,
      alertMetricIds,
      callPath: first && first.score > 0 ? pathFrom(first.service) : undefined,
      rawTokens: Math.ceil(telemetry.rawCharacters / RAW_CHARACTERS_PER_TOKEN),
      tokenBudget: options.tokenBudget,
    }),
  );
}

function logInput(model: IncidentModel, templated: TemplatedLogs): LogLayerInput {
  const { telemetry, services, triggerMs, window } = model;
  return {
    logs: telemetry.logs,
    reference: telemetry.reference.logs,
    templated,
    services,
    triggerMs,
    windowFromMs: window.fromMs,
    windowToMs: window.toMs,
  };
}

function unreadLayers(telemetry: Telemetry): ReadonlySet<LayerName> {
  const read: Readonly<Record<LayerName, number>> = {
    metrics: telemetry.series.length,
    logs: telemetry.logs.length,
    state: telemetry.objects.length + telemetry.events.length,
    // Rollouts show in objects and events too.
    changes: telemetry.changes.length + telemetry.objects.length + telemetry.events.length,
    traces: telemetry.spans.length + telemetry.spanStats.length,
  };
  return new Set((Object.keys(read) as LayerName[]).filter((name) => read[name] === 0));
}

/** A kind counts as read when something of it is there; metrics when a sample lies near the trigger. */
function kindsIn({ telemetry, series }: IncidentModel): readonly TelemetryKind[] {
  const read: Readonly<Record<TelemetryKind, boolean>> = {
    metrics: series.some(({ incident }) => incident.count > 0),
    logs: telemetry.logs.length > 0,
    events: telemetry.objects.length + telemetry.events.length > 0,
    changes: telemetry.changes.length > 0,
    traces: telemetry.spans.length + telemetry.spanStats.length > 0,
  };
  return TELEMETRY_KINDS.filter((kind) => read[kind]);
}

/** One gap for all kinds of which nothing came and no other gap says why; metrics may have come and be of another time. */
function silentKinds(kindsRead: readonly TelemetryKind[], { gaps, series }: Telemetry): readonly Gap[] {
  const said = gaps.map(({ message }) => message.toLowerCase()).join(' ');
  const isStale = series.length > 0 && !kindsRead.includes('metrics');
  const silent = TELEMETRY_KINDS.filter(
    (kind) => !kindsRead.includes(kind) && !said.includes(kind) && !(isStale && kind === 'metrics'),
  );
  const stale = isStale ? [`of ${series.length} series of metrics none has a sample near the alert`] : [];
  // Of metrics a provider says itself what is wrong; where everything is silent, so does the gap of the provider.
  const isExplained = silent.length === 0 || (kindsRead.length === 0 && gaps.length > 0);
  const absent = isExplained ? [] : [`no source of ${silent.join(', ')} is configured, or it held none`];
  return [...stale, ...absent].map((message) => ({ source: 'telemetry', message }));
}

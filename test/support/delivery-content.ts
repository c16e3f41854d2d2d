import type { DeliveryContent } from '../../src/domain/delivery.ts';
import type { Incident } from '../../src/domain/incident.ts';
import type { Report } from '../../src/domain/report.ts';
import type { StormSummary } from '../../src/domain/storm.ts';

export const ALERT_AT = Date.parse('2026-11-29T10:00:00Z');

export function makeIncident(overrides: Partial<Incident> = {}): Incident {
  return {
    id: 'inc_7f3a9c',
    kind: 'incident',
    source: 'alertmanager',
    receiver: 'rootnote',
    title: 'CheckoutErrorsHigh',
    service: 'checkout',
    severity: 'critical',
    startsAtMs: ALERT_AT,
    state: 'firing',
    labels: { alertname: 'CheckoutErrorsHigh', namespace: 'shop', cluster: 'eu-1' },
    annotations: { runbook_url: 'https://runbooks.example.com/a?x=1&y=2' },
    alerts: [],
    alertCount: 3,
    truncatedAlerts: 0,
    link: 'https://alerts.example.com/#/alerts?q=1&v=2',
    ...overrides,
  };
}

export function makeReport(overrides: Partial<Report> = {}): Report {
  const incident = makeIncident();
  return {
    schemaVersion: 1,
    id: 'rep_7f3a9c',
    kind: 'incident',
    incident: {
      id: incident.id,
      source: incident.source,
      title: incident.title,
      service: 'checkout',
      severity: 'critical',
      startsAt: '2026-11-29T10:00:00.000Z',
      labels: incident.labels,
      link: incident.link ?? null,
    },
    generatedAt: '2026-11-29T10:00:41.000Z',
    mode: 'agent',
    status: 'determined',
    summary: 'orders-db ran out of connections after release 812 halved its pool; checkout times out waiting for one.',
    root_cause_service: 'orders-db',
    root_cause_type: 'connection_exhaustion',
    confidence: 0.86,
    confidence_reasons: ['the change point of orders-db precedes every other one'],
    evidence: [
      {
        id: 'C1',
        kind: 'change',
        statement: 'Release 812 of orders set max_connections from 100 to 50',
        at: '2026-11-29T09:57:30.000Z',
        relative: '150 s before the alert',
        query: null,
        link: 'https://deploys.example.com/812',
      },
      {
        id: 'M1',
        kind: 'metric',
        statement: 'orders-db connections in use rose from 31 to 50 (limit 50), +61 %',
        at: '2026-11-29T09:58:00.000Z',
        relative: '120 s before the alert',
        query: 'pg_stat_activity_count{service="orders-db"}',
        link: 'https://prom.example.com/graph?g0.expr=pg_stat_activity_count&g0.tab=0',
      },
      {
        id: 'L1',
        kind: 'log',
        statement: '412 × "TimeoutError: pool exhausted after 5000 ms" in checkout, first 45 s before the alert',
        at: '2026-11-29T09:59:15.000Z',
        relative: '45 s before the alert',
        query: '{app="checkout"} |= "pool exhausted"',
        link: null,
      },
    ],
    causal_chain: [
      { service: 'orders-db', statement: 'its pool is exhausted', evidence: ['C1', 'M1'] },
      { service: 'checkout', statement: 'requests wait for a connection and time out', evidence: ['L1'] },
    ],
    alternatives: [
      {
        service: 'payments',
        type: 'network_latency',
        confidence: 0.12,
        why_not: 'its latency did not change before the alert',
      },
    ],
    action_plan: [
      {
        step: 'Roll back release 812',
        why: 'it halved the pool',
        risk: 'R2',
        command: 'kubectl rollout undo deploy/orders -n shop',
        rollback: 'kubectl rollout redo',
        needs_approval: true,
      },
    ],
    gaps: ['loki: timed out after 15 s; only the first 4,000 lines were read'],
    usage: {
      turns: 4,
      sub_agents: 1,
      input_tokens: 12_345,
      output_tokens: 812,
      cache_read_tokens: 0,
      cost_usd: 0.0412,
      duration_ms: 38_200,
      brief_tokens: 3120,
      raw_tokens: 912_000,
      stages: {},
      model: 'claude-sonnet-5-5',
      termination_reason: 'finished',
    },
    session: 'ses_7f3a9c',
    ...overrides,
  };
}

export function reportContent(report: Partial<Report> = {}, incident: Partial<Incident> = {}): DeliveryContent {
  return { kind: 'report', incident: makeIncident(incident), report: makeReport(report) };
}

export function resolvedContent(report: Partial<Report> = {}, incident: Partial<Incident> = {}): DeliveryContent {
  return {
    kind: 'resolved',
    incident: makeIncident({ state: 'resolved', ...incident }),
    report: makeReport(report),
    resolvedAtMs: ALERT_AT + 12 * 60_000,
  };
}

export function firstLookContent(report: Partial<Report> = {}, incident: Partial<Incident> = {}): DeliveryContent {
  return { kind: 'first-look', incident: makeIncident(incident), report: makeReport({ mode: 'analyst', ...report }) };
}

export function updateContent(report: Partial<Report> = {}, incident: Partial<Incident> = {}): DeliveryContent {
  const news = 'the leading suspect changed';
  return { kind: 'update', incident: makeIncident(incident), report: makeReport(report), news };
}

export function stormSummary(overrides: Partial<StormSummary> = {}): StormSummary {
  return {
    id: 'storm_1',
    startedAtMs: ALERT_AT,
    updatedAtMs: ALERT_AT + 90_000,
    isOver: false,
    incidents: 40,
    firing: 38,
    investigated: 4,
    joined: 30,
    onlyListed: 6,
    alerts: 312,
    investigations: [
      {
        incidentId: 'inc_7f3a9c',
        title: 'CheckoutErrorsHigh',
        severity: 'critical',
        state: 'reported',
        summary: 'orders-db ran out of connections',
        members: 30,
        isFiring: true,
      },
      {
        incidentId: 'inc_8a',
        title: 'DiskFull',
        severity: 'warning',
        state: 'waiting',
        summary: undefined,
        members: 0,
        isFiring: true,
      },
    ],
    omitted: 8,
    ...overrides,
  };
}

import type { DeliveryRecord } from '../domain/delivery.ts';
import type { OperationRecord, OperationsLog } from '../domain/operations.ts';
import { duration } from '../domain/relative-time.ts';
import type { Report } from '../domain/report.ts';
import { reportId, sessionId } from '../investigate/write-report.ts';
import { oneLine } from '../policy/untrusted.ts';
import type { IncidentStore } from './incident-store.ts';
import type { ReportStore } from './report-store.ts';

export interface OperationsDeps {
  readonly incidents: IncidentStore;
  readonly reports: ReportStore;
  /** What became of an incident's deliveries, at the destinations that are configured now. */
  readonly deliveriesOf: (incidentId: string) => Promise<readonly DeliveryRecord[]>;
}

/** What is stored about Rootnote's own work, put together for reading. Stores are redacted at rest; nothing is written here. */
export function createOperationsLog(deps: OperationsDeps): OperationsLog {
  const { incidents } = deps;
  /** Newest incidents first; what is asked of one that is not known gives nothing. */
  const collect = async (
    limit: number,
    incidentId: string | undefined,
    read: (id: string) => Promise<readonly OperationRecord[]>,
  ) => {
    const listed = () => Promise.all([incidents.listIds(limit), incidents.listRunIds(limit)]);
    const ids = incidentId === undefined ? (await listed()).flat() : [incidentId];
    const records = (await Promise.all(ids.map(read))).flat();
    return records.toSorted((a, b) => b.atMs - a.atMs).slice(0, limit);
  };
  return {
    listIncidents: (limit) => collect(limit, undefined, (id) => describeIncident(deps, id)),
    listEvents: (limit, incidentId) => collect(limit, incidentId, (id) => describeEvents(deps, id)),
    listExecutions: (limit, incidentId) => collect(limit, incidentId, (id) => describeExecution(deps, id)),
  };
}

async function describeIncident({ incidents, reports }: OperationsDeps, id: string): Promise<OperationRecord[]> {
  const [incident, resolvedAtMs, report] = await Promise.all([
    incidents.getIncident(id),
    incidents.getResolvedAtMs(id),
    reports.getReport(reportId(id)),
  ]);
  if (!incident) return [];
  const { kind, title, service, severity, startsAtMs } = incident;
  const state = resolvedAtMs === undefined ? incident.state : `resolved after ${duration(resolvedAtMs - startsAtMs)}`;
  const about = [service, severity].filter(Boolean).join(', ');
  const what = kind === 'check' ? 'scheduled check' : state;
  return [record(startsAtMs, id, `${what}: ${title}${about ? ` (${about})` : ''}; ${verdictOf(report)}`)];
}

function verdictOf(report: Report | undefined): string {
  if (!report) return 'no report yet';
  const cause = report.root_cause_service === null ? '' : ` ${report.root_cause_service}, ${report.root_cause_type},`;
  return `report ${report.id}: ${report.status},${cause} confidence ${report.confidence.toFixed(2)} (${report.mode})`;
}

async function describeEvents(deps: OperationsDeps, id: string): Promise<OperationRecord[]> {
  const [incident, resolvedAtMs, report, deliveries] = await Promise.all([
    deps.incidents.getIncident(id),
    deps.incidents.getResolvedAtMs(id),
    deps.reports.getReport(reportId(id)),
    deps.deliveriesOf(id),
  ]);
  const about = oneLine(incident?.title ?? report?.incident.title ?? '');
  const events: OperationRecord[] = deliveries.map((delivery) =>
    record(delivery.updatedAtMs, id, `${deliveryOf(delivery)}: ${about}`),
  );
  if (incident) events.push(record(incident.startsAtMs, id, `${incident.kind} began: ${about}`));
  if (report) events.push(record(Date.parse(report.generatedAt), id, `${writtenOf(report)}: ${about}`));
  if (resolvedAtMs !== undefined) events.push(record(resolvedAtMs, id, `resolved: ${about}`));
  return events;
}

function deliveryOf({ destination, content, state, attempts, reason }: DeliveryRecord): string {
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  return `${content} to ${destination} ${state} (${tries}${reason ? `, ${reason}` : ''})`;
}

/** A job that was given up leaves a report that says so. */
function writtenOf({ id, usage }: Report): string {
  const ended = usage.termination_reason;
  return ended === 'given_up' ? `investigation given up, report ${id} says so` : `report ${id} written (${ended})`;
}

async function describeExecution({ reports }: OperationsDeps, id: string): Promise<OperationRecord[]> {
  const [report, session] = await Promise.all([reports.getReport(reportId(id)), reports.getSession(sessionId(id))]);
  if (!report) return [];
  const { usage } = report;
  const cost = usage.cost_usd === null ? 'cost unknown' : `${usage.cost_usd.toFixed(4)} USD`;
  const agents = usage.sub_agents > 0 ? `, ${usage.sub_agents} sub-agents` : '';
  const ran =
    `investigation of ${id} ended ${usage.termination_reason} after ${duration(usage.duration_ms)}: ${usage.turns} turns${agents}, ` +
    `${usage.input_tokens + usage.cache_read_tokens} tokens in, ${usage.output_tokens} out, ${cost}; ${verdictOf(report)}`;
  const proposed = report.action_plan.map(
    ({ step, risk, needs_approval }) => `${step} [${risk}${needs_approval ? ', needs approval' : ''}]`,
  );
  const proposals = proposed.length > 0 ? `; proposed, not executed: ${proposed.join(' | ')}` : '; proposed nothing';
  return [record(Date.parse(report.generatedAt), session?.id ?? report.id, `${ran}${proposals}`)];
}

function record(atMs: number, id: string, text: string): OperationRecord {
  return { atMs, id, text: oneLine(text) };
}

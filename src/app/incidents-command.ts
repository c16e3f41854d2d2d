import type { Config } from '../config/schema.ts';
import { duration } from '../domain/relative-time.ts';
import { reportId } from '../investigate/write-report.ts';
import { oneLine } from '../policy/untrusted.ts';
import { createIncidentStore, type IncidentLife } from '../sessions/incident-store.ts';
import { createReportStore } from '../sessions/report-store.ts';
import { incidentOf } from './deliveries-command.ts';
import { withRedis } from './open-redis.ts';

/** Looked through for open ones; of those that are over, the latest are listed. */
const MOST_LOOKED_THROUGH = 1000;
const MOST_OVER = 30;

export interface IncidentsRequest {
  readonly id?: string;
  readonly json: boolean;
}

/** What `rootnote incidents` prints; undefined when there is no incident of that id. Throws RedisUnreachable. */
export function showIncidents(
  config: Config,
  { id, json }: IncidentsRequest,
  say: (line: string) => void,
): Promise<string | undefined> {
  return withRedis(config, say, async (redis) => {
    const incidents = createIncidentStore(redis, config.REDIS_PREFIX);
    const ids = id === undefined ? await incidents.listIds(MOST_LOOKED_THROUGH) : [incidentOf(id)];
    const reports = createReportStore(redis, config.REDIS_PREFIX);
    const lives = (await Promise.all(ids.map((one) => incidents.getLife(one)))).filter((life) => life !== undefined);
    const views = await Promise.all(
      listed(lives).map(async (life) =>
        incidentView(life, (await reports.getReport(reportId(life.incident.id))) !== undefined),
      ),
    );
    if (id === undefined) return json ? toJson(views) : printList(views, Date.now());
    const [view] = views;
    return view && (json ? toJson(view) : printOne(view));
  });
}

/** Open ones first, each kind newest first. */
function listed(lives: readonly IncidentLife[]): readonly IncidentLife[] {
  const isOpen = ({ incident }: IncidentLife) => incident.state === 'firing' && incident.kind === 'incident';
  return [...lives.filter(isOpen), ...lives.filter((life) => !isOpen(life)).slice(0, MOST_OVER)];
}

/** What people and programs are shown of an incident; times are ISO 8601. */
export function incidentView(life: IncidentLife, hasReport: boolean) {
  const { incident, stage, openedAtMs, resolvedAtMs, heldUntilMs, coveredBy, repeats, decisions } = life;
  const { id, kind, source, receiver, title, service, severity, state, alertCount, truncatedAlerts, link } = incident;
  return {
    id,
    kind,
    source,
    receiver,
    title,
    service: service ?? null,
    severity: severity ?? null,
    state,
    stage,
    startsAt: iso(incident.startsAtMs),
    openedAt: iso(openedAtMs),
    resolvedAt: resolvedAtMs === undefined ? null : iso(resolvedAtMs),
    /** Of one that flaps and is quiet now: when it is resolved. */
    heldUntil: heldUntilMs === undefined ? null : iso(heldUntilMs),
    alertCount,
    truncatedAlerts,
    repeats,
    coveredBy: coveredBy ?? null,
    follows: incident.follows ?? null,
    flapping: incident.flapping ? { times: incident.flapping.times, since: iso(incident.flapping.sinceMs) } : null,
    acknowledged: incident.acknowledged
      ? { by: incident.acknowledged.by ?? null, at: iso(incident.acknowledged.atMs) }
      : null,
    report: hasReport ? reportId(id) : null,
    link: link ?? null,
    decisions: decisions.map(({ atMs, decision, reason }) => ({ at: iso(atMs), decision, reason })),
  };
}
type IncidentView = ReturnType<typeof incidentView>;

function printList(views: readonly IncidentView[], nowMs: number): string {
  if (views.length === 0) return 'No incidents yet.\n';
  return views.map((view) => `${row(view, nowMs)}\n`).join('');
}

function row(view: IncidentView, nowMs: number): string {
  const forTime = view.state === 'firing' ? `open for ${duration(nowMs - Date.parse(view.openedAt))}` : 'resolved';
  const state = [forTime, view.stage, ...marks(view)].join(', ');
  return `${view.openedAt}  ${view.id}  ${state}  ${view.severity === null ? '' : `[${oneLine(view.severity)}] `}${oneLine(view.title)}`;
}

function marks({ flapping, acknowledged }: IncidentView): readonly string[] {
  const by = acknowledged?.by == null ? '' : ` by ${oneLine(acknowledged.by)}`;
  return [...(flapping ? [`flapping ${flapping.times}×`] : []), ...(acknowledged ? [`taken on${by}`] : [])];
}

function printOne(view: IncidentView): string {
  const cutOff = view.truncatedAlerts > 0 ? `, ${view.truncatedAlerts} more cut off` : '';
  const facts: readonly (readonly [string, string | null])[] = [
    ['state', [view.state, view.stage, ...marks(view)].join(', ')],
    ['severity', view.severity],
    ['service', view.service],
    ['from', `${view.source}, receiver ${view.receiver}`],
    ['alerts', `${view.alertCount}${cutOff}; told again ${view.repeats}×`],
    ['started', view.startsAt],
    ['opened', view.openedAt],
    ['resolved', view.resolvedAt ?? (view.heldUntil === null ? null : `at ${view.heldUntil}, if it stays quiet`)],
    ['covered', view.coveredBy === null ? null : `by the investigation of ${view.coveredBy}`],
    ['follows', view.follows],
    ['report', view.report],
    ['link', view.link],
  ];
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : `  ${name.padEnd(9)} ${oneLine(value)}`));
  const decided = view.decisions.map(({ at, decision, reason }) =>
    `  ${at}  ${decision.padEnd(13)} ${oneLine(reason)}`.trimEnd(),
  );
  return [`${oneLine(view.title)}  (${view.id})`, ...lines, 'Decisions:', ...decided, ''].join('\n');
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

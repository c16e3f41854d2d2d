import { startStandIn, type Answer, type Call, type StandIn } from '../stand-in/server.ts';

export interface PagerDutyAlertsServer extends StandIn {
  readonly token: string;
  readonly incidentId: string;
  /** What the monitors sent, as PagerDuty gives it back. */
  alerts: readonly object[];
  logEntries: readonly object[];
  /** Alerts a page; small, so that callers which forget the rest are found out. */
  pageSize: number;
}

/** A stand-in for PagerDuty's REST API: alerts and log entries of one incident. Written from its public documentation. */
export async function startPagerDutyAlerts(incidentId = 'Q1ABC2DEF3'): Promise<PagerDutyAlertsServer> {
  const state = {
    token: 'pd-test-key',
    incidentId,
    alerts: [] as readonly object[],
    logEntries: [] as readonly object[],
    pageSize: 100,
  };
  const server = await startStandIn({
    // Faults meet the question for alerts.
    isWrite: ({ path }) => path.endsWith('/alerts'),
    answer: (call) => answer(state, call),
  });
  return Object.assign(state, server);
}

type State = Omit<PagerDutyAlertsServer, keyof StandIn>;
const refuse = (status: number, code: number, message: string): Answer => ({
  status,
  body: { error: { code, message, errors: [] } },
});

function answer(state: State, call: Call): Answer {
  if (call.headers.authorization !== `Token token=${state.token}`) return refuse(401, 2006, 'Authentication failed');
  if (call.headers.accept !== 'application/vnd.pagerduty+json;version=2') return refuse(400, 2001, 'Invalid version');
  if (call.method !== 'GET') return refuse(405, 2001, 'Method not allowed');
  const { pageSize, incidentId } = state;
  if (call.path === `/incidents/${incidentId}/alerts`) return page('alerts', state.alerts, { call, pageSize });
  if (call.path === `/incidents/${incidentId}/log_entries`) {
    const isFull = call.query.getAll('include[]').includes('channels');
    const entries = isFull ? state.logEntries : state.logEntries.map((entry) => ({ ...entry, channel: {} }));
    return page('log_entries', entries, { call, pageSize });
  }
  return refuse(404, 2100, 'Not Found');
}

function page(
  name: string,
  all: readonly object[],
  { call, pageSize }: { readonly call: Call; readonly pageSize: number },
): Answer {
  const offset = Number(call.query.get('offset') ?? 0);
  const limit = Math.min(pageSize, Number(call.query.get('limit') ?? 25));
  const shown = all.slice(offset, offset + limit);
  return { status: 200, body: { [name]: shown, offset, limit, more: offset + limit < all.length, total: null } };
}

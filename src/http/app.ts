import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Authorize } from '../platform/credentials.ts';
import { redisTrouble } from '../platform/redis-trouble.ts';
import { answerJson } from './answer.ts';
import { createRareLog } from './rare-log.ts';
import { checkReadiness, type ReadinessPart } from './readiness.ts';
import { createWebhookReceiver, WEBHOOK_PATH, type WebhookDeps } from './webhook-receiver.ts';

/** What the API shows of reports. */
export interface ReportReader {
  getReport(id: string): Promise<unknown>;
  /** Newest first. */
  listReports(limit: number, kind: Kind): Promise<readonly unknown[]>;
}

/** `check`: runs of scheduled checks, and their reports, instead of incidents. */
type Kind = 'incident' | 'check';

export interface IncidentQuery {
  readonly limit: number;
  readonly kind: Kind;
  /** Absent: all. */
  readonly state?: 'firing' | 'resolved';
  /** Only those that were opened before this one. */
  readonly before?: string;
}

/** What came in and no worker decides: not an incident yet. */
export interface InboxBacklog {
  readonly notifications: number;
  readonly oldestAgeSeconds: number;
}

export interface IncidentPage {
  readonly incidents: readonly unknown[];
  /** Null while a worker decides what comes in. */
  readonly undecided: InboxBacklog | null;
  /** `before` of the next page; null when there is none. */
  readonly next: string | null;
}

/** What the API shows of incidents; a storm is one of those that are got by id. */
export interface IncidentReader {
  getIncident(id: string): Promise<unknown>;
  /** Newest first. */
  listIncidents(query: IncidentQuery): Promise<IncidentPage>;
}

export interface HttpDeps extends WebhookDeps {
  /** Of who reads the API. */
  readonly authorize: Authorize;
  /** False in roles that only work: probes and metrics are served, webhooks and the API are not there. */
  readonly receives: boolean;
  readonly readiness: readonly ReadinessPart[];
  readonly reports: ReportReader;
  readonly incidents: IncidentReader;
  /** Brings gauges up to date before a scrape. A scrape does not wait for it longer than a second, and not fail with it. */
  readonly refreshMetrics: () => Promise<void>;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const WRONG_LIMIT = `limit must be 1 to ${MAX_LIMIT}`;
const INCIDENT_ID = /^[a-z][\w-]{3,127}$/i;

/** Every route. `startHttpServer` sends webhooks past Express; here they are mounted too, so that the app is whole by itself. */
export function createHttpApp(deps: HttpDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(helmet());
  app.get('/healthz', (_request, response) => answerJson(response, 200, { status: 'ok' }));
  app.get('/readyz', async (_request, response) => {
    const readiness = await checkReadiness(deps.readiness);
    answerJson(response, readiness.ready ? 200 : 503, readiness);
  });
  app.get('/metrics', async (_request, response) => {
    await checkReadiness([{ name: 'gauges', check: deps.refreshMetrics }]);
    const { contentType, body } = await deps.metrics.text();
    response.set('content-type', contentType).send(body);
  });
  if (deps.receives) mountReceiver(app, deps);
  app.all(['/healthz', '/readyz', '/metrics'], readOnly);
  app.use((_request, response) => answerJson(response, 404, { error: 'nothing here' }));
  app.use(failed(deps));
  return app;
}

const readOnly: RequestHandler = (_request, response) =>
  answerJson(response, 405, { error: 'read this with GET' }, { allow: 'GET' });

function mountReceiver(app: Express, deps: HttpDeps): void {
  const receiver = createWebhookReceiver(deps);
  app.use((request, response, next) => {
    if (!request.url.startsWith(WEBHOOK_PATH)) return next();
    return receiver(request, response);
  });
  mountApi(app, deps);
}

function mountApi(app: Express, deps: HttpDeps): void {
  app.use('/api', requireCredentials(deps));
  app.get('/api/v1/reports', async (request, response) => {
    const query = readListQuery(request.query);
    if (typeof query === 'string') return answerJson(response, 400, { error: query });
    return answerJson(response, 200, { reports: await deps.reports.listReports(query.limit, query.kind) });
  });
  app.get('/api/v1/reports/:id', async (request, response) => {
    const report = await deps.reports.getReport(request.params.id);
    if (report === undefined) return answerJson(response, 404, { error: 'no such report' });
    return answerJson(response, 200, report);
  });
  app.get('/api/v1/incidents', async (request, response) => {
    const query = readIncidentQuery(request.query);
    if (typeof query === 'string') return answerJson(response, 400, { error: query });
    return answerJson(response, 200, await deps.incidents.listIncidents(query));
  });
  app.get('/api/v1/incidents/:id', async (request, response) => {
    const incident = await deps.incidents.getIncident(request.params.id);
    if (incident === undefined) return answerJson(response, 404, { error: 'no such incident' });
    return answerJson(response, 200, incident);
  });
  const all = ['reports', 'incidents'].flatMap((what) => [`/api/v1/${what}`, `/api/v1/${what}/:id`]);
  app.all(all, readOnly);
}

function requireCredentials({ authorize }: HttpDeps): RequestHandler {
  return (request, response, next) => {
    if (authorize(request.headers.authorization)) return next();
    const challenge = { 'www-authenticate': 'Bearer, Basic realm="rootnote"' };
    return answerJson(response, 401, { error: 'missing or wrong credentials' }, challenge);
  };
}

type Query = Readonly<Record<string, unknown>>;

/** What is asked for; a text says what is wrong with it. */
function readListQuery({ limit: most, kind = 'incident' }: Query): Pick<IncidentQuery, 'limit' | 'kind'> | string {
  const limit = readLimit(most);
  if (limit === undefined) return WRONG_LIMIT;
  return kind === 'incident' || kind === 'check' ? { limit, kind } : 'kind must be incident or check';
}

function readIncidentQuery(query: Query): IncidentQuery | string {
  const listed = readListQuery(query);
  const { state, before } = query;
  if (typeof listed === 'string') return listed;
  if (state !== undefined && state !== 'firing' && state !== 'resolved') return 'state must be firing or resolved';
  if (before !== undefined && (typeof before !== 'string' || !INCIDENT_ID.test(before)))
    return 'before must be the id of an incident';
  return { ...listed, ...(state === undefined ? {} : { state }), ...(before === undefined ? {} : { before }) };
}

function readLimit(value: unknown): number | undefined {
  if (value === undefined) return DEFAULT_LIMIT;
  const limit = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : 0;
  return limit >= 1 && limit <= MAX_LIMIT ? limit : undefined;
}

/** Express marks a request it cannot read (a broken path) with a 4xx status; everything else is ours. Four parameters make it an error handler. */
function failed({ log }: HttpDeps): ErrorRequestHandler {
  const sayRarely = createRareLog(log);
  return (error: unknown, _request, response, _next) => {
    const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
    if (status >= 400 && status < 500) return answerJson(response, status, { error: 'bad request' });
    const trouble = redisTrouble(error);
    if (trouble !== undefined) {
      sayRarely('error', 'api', trouble);
      return answerJson(response, 503, { error: trouble }, { 'retry-after': '5' });
    }
    log.error({ err: error }, 'a request failed');
    return answerJson(response, 500, { error: 'internal error' });
  };
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Notification } from '../domain/alert.ts';
import { IntakeUnavailable, type Intake, type Receipt } from '../intake/intake.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { SOURCES } from '../sources/index.ts';
import { PayloadError, type Source } from '../sources/source.ts';
import { answerJson, sendJson } from './answer.ts';
import type { Authorize } from './authorize.ts';
import { BodyAborted, BodyTooLarge, readBody } from './read-body.ts';
import { createRefusalLog } from './refused-senders.ts';

export const WEBHOOK_PATH = '/webhooks/';
/** Beyond this many requests at once the answer is an immediate 503: a queue of seconds would only make senders repeat. */
const MAX_IN_FLIGHT = 500;
const RETRY_AFTER = { 'retry-after': '5' };
/** How long the rest of a refused body is taken in, so that the sender reads the answer instead of a reset. */
const DRAIN_MS = 2000;

export interface WebhookDeps {
  readonly intake: Intake;
  readonly authorize: Authorize;
  readonly bodyLimitBytes: number;
  readonly metrics: Metrics;
  readonly log: Logger;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const refuse = (status: number, error: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  body: { error },
  headers,
});

/** Answers `POST /webhooks/<source>`. Never throws; everything it says is small JSON. */
export function createWebhookReceiver(deps: WebhookDeps): RequestListener {
  let inFlight = 0;
  const logRefusal = createRefusalLog(deps.log);
  const serve = async (source: Source, request: IncomingMessage, response: ServerResponse) => {
    inFlight += 1;
    try {
      const answer = inFlight > MAX_IN_FLIGHT ? overloaded() : await receive(source, request, deps);
      if (!answer) return;
      deps.metrics.webhook(source.name, answer.status);
      if (answer.status === 401) logRefusal(source.name);
      respond(response, request, answer);
    } catch (error) {
      deps.log.error({ err: error, source: source.name }, 'a webhook failed in a way nobody thought of');
      deps.metrics.webhook(source.name, 500);
      respond(response, request, refuse(500, 'internal error'));
    } finally {
      inFlight -= 1;
    }
  };
  return (request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const source = SOURCES.find((candidate) => path === WEBHOOK_PATH + candidate.name);
    if (source) void serve(source, request, response);
    else respond(response, request, refuse(404, `no such webhook; there are: ${webhookPaths()}`));
  };
}

function webhookPaths(): string {
  return SOURCES.map(({ name }) => WEBHOOK_PATH + name).join(', ');
}

/** Undefined when there is nobody left to answer. */
async function receive(source: Source, request: IncomingMessage, deps: WebhookDeps): Promise<Answer | undefined> {
  if (request.method !== 'POST') return refuse(405, 'send alerts with POST', { allow: 'POST' });
  if (!deps.authorize(request.headers.authorization)) {
    return refuse(401, 'missing or wrong credentials', { 'www-authenticate': 'Bearer, Basic realm="rootnote"' });
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return refuse(415, 'send the body without content-encoding');
  try {
    const bytes = await readBody(request, deps.bodyLimitBytes);
    const notification = source.parse(parseJson(bytes));
    const receipt = await deps.intake.receive(notification, traceparentOf(request));
    record(notification, receipt, deps);
    return { status: 202, body: { incidentId: receipt.incidentId ?? null, decision: receipt.decision } };
  } catch (error) {
    if (error instanceof BodyAborted) return undefined;
    if (error instanceof PayloadError) {
      deps.log.warn({ source: source.name, err: error.message }, 'notification refused');
      return refuse(400, error.message);
    }
    if (error instanceof BodyTooLarge) {
      deps.log.warn({ source: source.name, limitBytes: deps.bodyLimitBytes }, 'notification refused: body too large');
      return refuse(413, `the body is larger than ${deps.bodyLimitBytes} bytes (WEBHOOK_BODY_LIMIT_BYTES)`);
    }
    if (!(error instanceof IntakeUnavailable)) throw error;
    const cause = error.cause instanceof Error ? error.cause.message : String(error.cause);
    deps.log.error({ source: source.name, cause }, 'alert not persisted; the sender has to send it again');
    deps.metrics.webhookQueueError(source.name);
    return refuse(503, 'the alert could not be persisted; send it again', RETRY_AFTER);
  }
}

/** W3C Trace Context; undefined without a well-formed one. Alertmanager sends it where its tracing is on. */
function traceparentOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent)
    ? traceparent
    : undefined;
}

/** Strips a byte-order mark; bytes that are no UTF-8 become U+FFFD rather than a lost alert. */
const utf8 = new TextDecoder();

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new PayloadError('the body is empty');
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch {
    throw new PayloadError(`the body is not valid JSON (${bytes.length} bytes read)`);
  }
}

/** Every decision can be explained afterwards; what changes nothing is only told at level debug, since storms consist of it. */
function record(notification: Notification, { decision, incidentId }: Receipt, { metrics, log }: WebhookDeps): void {
  if (decision === 'repeat') metrics.webhookDuplicate(notification.source);
  const firing = notification.alerts.filter((alert) => alert.status === 'firing').length;
  const seen = {
    source: notification.source,
    receiver: notification.receiver,
    alerts: notification.alerts.length,
    firing,
  };
  const changesNothing = decision === 'repeat' || decision === 'ignored';
  log[changesNothing ? 'debug' : 'info']({ decision, incidentId, ...seen }, 'notification received');
}

function overloaded(): Answer {
  return refuse(503, 'too many requests at once; send it again', RETRY_AFTER);
}

function respond(response: ServerResponse, request: IncomingMessage, { status, body, headers }: Answer): void {
  if (request.complete) {
    answerJson(response, status, body, headers);
    return;
  }
  // Node closes the connection when an answer ends that says so. Under a sender that still sends, that is a reset, and the answer is lost:
  // it is complete on the wire, but ends only when the rest of the request is in.
  if (!sendJson(response, status, body, { ...headers, connection: 'close' })) return;
  const timer = setTimeout(() => {
    response.end();
    request.destroy();
  }, DRAIN_MS);
  request.once('end', () => response.end());
  request.once('close', () => clearTimeout(timer));
  request.resume();
}

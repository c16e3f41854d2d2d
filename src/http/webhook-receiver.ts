import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Notification } from '../domain/alert.ts';
import { IntakeUnavailable, type Intake, type Receipt } from '../intake/intake.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { clip } from '../policy/untrusted.ts';
import { PayloadError, type Reading, type Source } from '../sources/source.ts';
import { answerJson, sendJson } from './answer.ts';
import { BodyAborted, BodyTooLarge, readBody } from './read-body.ts';
import { createRefusalLog } from './refused-senders.ts';

export const WEBHOOK_PATH = '/webhooks/';
/** Beyond this many requests at once the answer is an immediate 503: a queue of seconds would only make senders repeat. */
const MAX_IN_FLIGHT = 500;
const RETRY_AFTER = { 'retry-after': '5' };
/** How long the rest of a refused body is taken in, so that the sender reads the answer instead of a reset. */
const DRAIN_MS = 2000;
/** Of what a sender chooses, in the log. */
const MAX_LOGGED = 200;

export interface WebhookDeps {
  readonly intake: Pick<Intake, 'receive' | 'acknowledge'>;
  readonly sources: readonly Source[];
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
  const paths = deps.sources.map(({ name }) => WEBHOOK_PATH + name).join(', ');
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
  const byPath = new Map(deps.sources.map((source) => [WEBHOOK_PATH + source.name, source]));
  return (request, response) => {
    const { url = '' } = request;
    const source = byPath.get(url) ?? byPath.get(url.split('?', 1)[0] ?? '');
    if (source) void serve(source, request, response);
    else respond(response, request, refuse(404, `no such webhook; there are: ${paths}`));
  };
}

/** Undefined when there is nobody left to answer. */
async function receive(source: Source, request: IncomingMessage, deps: WebhookDeps): Promise<Answer | undefined> {
  const { auth, methods = ['POST'] } = source;
  const { headers } = request;
  if (!methods.includes(request.method ?? ''))
    return refuse(405, `send alerts with ${methods.join(' or ')}`, { allow: methods.join(', ') });
  if (auth.kind === 'headers' && !auth.accepts(headers)) {
    return refuse(401, 'missing or wrong credentials', { 'www-authenticate': 'Bearer, Basic realm="rootnote"' });
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return refuse(415, 'send the body without content-encoding');
  try {
    const bytes = await readBody(request, deps.bodyLimitBytes);
    if (auth.kind === 'signature' && !(await auth.accepts({ headers, bytes })))
      return refuse(401, 'missing or wrong signature');
    return await actOn(source, source.read({ headers, bytes }), request, deps);
  } catch (error) {
    if (error instanceof BodyAborted) return undefined;
    if (error instanceof PayloadError) {
      deps.log.warn({ source: source.name, err: error.message }, 'notification refused');
      return refuse(error.status, error.message);
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

async function actOn(source: Source, reading: Reading, request: IncomingMessage, deps: WebhookDeps): Promise<Answer> {
  switch (reading.kind) {
    case 'notification': {
      const { notification } = reading;
      const receipt = await deps.intake.receive(notification, traceparentOf(request));
      record(notification, receipt, deps);
      return { status: 202, body: { incidentId: receipt.incidentId ?? null, decision: receipt.decision } };
    }
    case 'acknowledged': {
      const incidentId = await deps.intake.acknowledge(reading.acknowledgement);
      deps.log.info({ source: source.name, incidentId }, 'somebody has taken the alert on');
      return { status: 202, body: { incidentId: incidentId ?? null, decision: 'acknowledged' } };
    }
    case 'nothing':
      deps.log.info({ source: source.name, why: reading.why }, 'nothing to do for a webhook');
      return { status: 202, body: { incidentId: null, decision: 'ignored' } };
    case 'handshake':
      reading.run().then(
        (said) => deps.log.info({ source: source.name }, said),
        (error: unknown) => deps.log.error({ source: source.name, err: error }, 'the handshake with a sender failed'),
      );
      return { status: 200, body: { incidentId: null, decision: 'ignored' } };
  }
}

/** W3C Trace Context; undefined without a well-formed one. Alertmanager sends it where its tracing is on. */
function traceparentOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent)
    ? traceparent
    : undefined;
}

/** Every decision can be explained afterwards; what changes nothing is only told at level debug, since storms consist of it. */
function record(notification: Notification, { decision, incidentId }: Receipt, { metrics, log }: WebhookDeps): void {
  if (decision === 'repeat') metrics.webhookDuplicate(notification.source);
  const firing = notification.alerts.filter((alert) => alert.status === 'firing').length;
  const seen = {
    source: notification.source,
    receiver: clip(notification.receiver, MAX_LOGGED),
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

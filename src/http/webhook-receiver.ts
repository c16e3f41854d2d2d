import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Notification } from '../domain/alert.ts';
import { IntakeUnavailable, type Intake } from '../intake/intake.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { redisTrouble } from '../platform/redis-trouble.ts';
import { clip } from '../policy/untrusted.ts';
import { PayloadError, type Reading, type Source } from '../sources/source.ts';
import { answerJson, sendJson } from './answer.ts';
import { BodyAborted, BodyTooLarge, readBody } from './read-body.ts';
import { createRareLog } from './rare-log.ts';

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

const accepted = (id: string): Answer => ({ status: 202, body: { status: 'accepted', id } });
const IGNORED: Answer = { status: 202, body: { status: 'ignored' } };
const refuse = (status: number, error: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  body: { error },
  headers,
});

const OVERLOADED = refuse(503, 'too many requests at once; send it again', RETRY_AFTER);
const POST_ONLY = ['POST'];

/** Answers `POST /webhooks/<source>`. Never throws; everything it says is small JSON. */
export function createWebhookReceiver(deps: WebhookDeps): RequestListener {
  let inFlight = 0;
  const sayRarely = createRareLog(deps.log);
  // Made once: a copy for each request took a twentieth of its time.
  const receiveDeps: ReceiveDeps = { ...deps, sayRarely };
  const paths = deps.sources.map(({ name }) => WEBHOOK_PATH + name).join(', ');
  const serve = async (source: Source, request: IncomingMessage, response: ServerResponse) => {
    inFlight += 1;
    try {
      const answer = inFlight > MAX_IN_FLIGHT ? OVERLOADED : await receive(source, request, receiveDeps);
      deps.metrics.webhook(source.name, answer.status);
      respond(response, request, answer);
    } catch (error) {
      // There is nobody left to answer.
      if (error instanceof BodyAborted) return;
      const { log, ...answer } = explain(error, deps.bodyLimitBytes);
      if (error instanceof IntakeUnavailable) deps.metrics.webhookQueueError(source.name);
      sayRarely(answer.status < 500 ? 'warn' : 'error', source.name, log.why, log.details);
      deps.metrics.webhook(source.name, answer.status);
      respond(response, request, answer);
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

interface ReceiveDeps extends WebhookDeps {
  readonly sayRarely: ReturnType<typeof createRareLog>;
}

/** Rejects with whatever `explain` explains. */
async function receive(source: Source, request: IncomingMessage, deps: ReceiveDeps): Promise<Answer> {
  const { auth, methods = POST_ONLY } = source;
  const { headers } = request;
  if (!methods.includes(request.method ?? ''))
    return refuse(405, `send alerts with ${methods.join(' or ')}`, { allow: methods.join(', ') });
  if (auth.kind === 'headers' && !auth.accepts(headers)) throw new Unauthorized('credentials');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return refuse(415, 'send the body without content-encoding');
  const bytes = await readBody(request, deps.bodyLimitBytes);
  if (auth.kind === 'signature' && !(await auth.accepts({ headers, bytes }))) throw new Unauthorized('signature');
  return actOn(source, source.read({ headers, bytes }), request, deps);
}

class Unauthorized extends Error {
  readonly missing: 'credentials' | 'signature';
  constructor(missing: 'credentials' | 'signature') {
    super(`missing or wrong ${missing}`);
    this.missing = missing;
  }
}

interface Explained extends Answer {
  readonly log: { readonly why: string; readonly details?: Readonly<Record<string, unknown>> };
}

/** What the sender is told and what the log says. */
function explain(error: unknown, bodyLimitBytes: number): Explained {
  if (error instanceof Unauthorized) {
    const asked = error.missing === 'credentials' ? { 'www-authenticate': 'Bearer, Basic realm="rootnote"' } : {};
    return { ...refuse(401, error.message, asked), log: { why: `a webhook was refused: ${error.message} (401)` } };
  }
  if (error instanceof PayloadError) {
    return {
      ...refuse(error.status, error.message),
      log: { why: 'notification refused', details: { err: error.message } },
    };
  }
  if (error instanceof BodyTooLarge) {
    return {
      ...refuse(413, `the body is larger than ${bodyLimitBytes} bytes (WEBHOOK_BODY_LIMIT_BYTES)`),
      log: { why: 'notification refused: body too large', details: { limitBytes: bodyLimitBytes } },
    };
  }
  if (error instanceof IntakeUnavailable) {
    const cause = error.cause instanceof Error ? error.cause.message : String(error.cause);
    return {
      ...refuse(503, `${error.message}; send it again`, RETRY_AFTER),
      log: {
        why: `${error.message}; the sender has to send it again`,
        details: { cause: redisTrouble(error.cause) ?? cause },
      },
    };
  }
  return {
    ...refuse(500, 'internal error'),
    log: { why: 'a webhook failed in a way nobody thought of', details: { err: error } },
  };
}

async function actOn(source: Source, reading: Reading, request: IncomingMessage, deps: ReceiveDeps): Promise<Answer> {
  switch (reading.kind) {
    case 'notification': {
      const { notification, unknownStatus: status } = reading;
      if (status !== undefined)
        deps.sayRarely('warn', source.name, 'a status is not in the map of its sender: it is taken for firing', {
          status,
        });
      const id = await deps.intake.receive(notification, traceparentOf(request));
      record(notification, id, deps.log);
      return id === undefined ? IGNORED : accepted(id);
    }
    case 'acknowledged': {
      const id = await deps.intake.acknowledge(reading.acknowledgement);
      deps.log.info({ source: source.name, arrivalId: id }, 'somebody has taken an alert on');
      return accepted(id);
    }
    case 'nothing':
      deps.log.info({ source: source.name, why: reading.why }, 'nothing to do for a webhook');
      return IGNORED;
    case 'handshake':
      reading.run().then(
        (said) => deps.log.info({ source: source.name }, said),
        (error: unknown) => deps.log.error({ source: source.name, err: error }, 'the handshake with a sender failed'),
      );
      return { status: 200, body: IGNORED.body };
  }
}

/** W3C Trace Context; undefined without a well-formed one. Alertmanager sends it where its tracing is on. */
function traceparentOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent)
    ? traceparent
    : undefined;
}

/** What becomes of it is told by the worker that decides it, under the same id. */
function record(notification: Notification, arrivalId: string | undefined, log: Logger): void {
  if (!log.isLevelEnabled('debug')) return;
  const { source, receiver, alerts } = notification;
  const firing = alerts.filter(({ status }) => status === 'firing').length;
  const seen = { source, receiver: clip(receiver, MAX_LOGGED), alerts: alerts.length, firing };
  log.debug({ arrivalId, ...seen }, 'notification received');
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

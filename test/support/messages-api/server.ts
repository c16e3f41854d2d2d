import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPromptCache, type CachedUsage } from './prompt-cache.ts';
import type { ReceivedBody, Reply, Script } from './script.ts';
import { messageOf, streamMessage } from './stream.ts';
import { refusal } from './validate.ts';

export interface MessagesApiOptions {
  readonly script: Script;
  /** The one key that is let in. Default: `sk-ant-test-key`. */
  readonly apiKey?: string;
  /** Models that exist. Default: any whose id begins with `claude-`. */
  readonly models?: readonly string[];
  /** Usage is counted from the requests, with a prompt cache, where a reply does not say it. Default: fixed numbers. */
  readonly countsTokens?: boolean;
}

export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** As it came over the wire. */
  readonly raw: string;
  readonly body: ReceivedBody;
}

export interface MessagesApi {
  readonly baseUrl: string;
  /** Requests to /v1/messages, in order, those refused or failed on purpose included. */
  readonly requests: readonly RecordedRequest[];
  /** Why requests were refused as invalid. Empty when the client behaved. */
  readonly refusals: readonly string[];
  /** Input of each answered request, when `countsTokens` is on. */
  readonly counts: readonly CachedUsage[];
  /** Replies of the script that nobody asked for. */
  unusedReplies(): number;
  close(): Promise<void>;
}

export const TEST_API_KEY = 'sk-ant-test-key';
const VERSIONS = new Set(['2023-06-01', '2026-10-21']);
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Starts the stand-in on a free port of the loopback address. The caller closes it. */
export async function startMessagesApi(scriptOrOptions: Script | MessagesApiOptions): Promise<MessagesApi> {
  const options = 'script' in scriptOrOptions ? scriptOrOptions : { script: scriptOrOptions };
  const requests: RecordedRequest[] = [];
  const refusals: string[] = [];
  const sentThinking = new Set<string>();
  const counts: CachedUsage[] = [];
  const cache = options.countsTokens ? createPromptCache() : undefined;
  let used = 0;

  const nextReply = (body: ReceivedBody): Reply | Promise<Reply> => {
    const index = used++;
    if (typeof options.script === 'function') return options.script(body, index);
    const scripted = options.script[index];
    if (!scripted)
      return {
        status: 500,
        errorType: 'api_error',
        message: 'the script has no more replies',
        headers: { 'x-should-retry': 'false' },
      };
    return typeof scripted === 'function' ? scripted(body) : scripted;
  };

  const answerMessages = async (
    request: IncomingMessage,
    response: ServerResponse,
    counting: boolean,
  ): Promise<void> => {
    const raw = await readBody(request);
    if (raw === undefined) return sendError(response, 413, 'request_too_large', 'Request exceeds the maximum size');
    const body = parse(raw);
    if (!counting)
      requests.push({ path: request.url ?? '', headers: request.headers, raw, body: body as ReceivedBody });
    const why = request.headers['anthropic-beta']
      ? 'anthropic-beta: no beta is known here'
      : refusal(body, sentThinking, counting);
    if (why !== undefined) {
      refusals.push(why);
      return sendError(response, 400, 'invalid_request_error', why);
    }
    const received = body as ReceivedBody;
    if (!knowsModel(options, received.model))
      return sendError(response, 404, 'not_found_error', `model: ${received.model}`);
    if (counting) return send(response, 200, { input_tokens: Math.ceil(raw.length / 4) });

    const reply = await nextReply(received);
    if (reply.delayBeforeHeadersMs) await sleep(reply.delayBeforeHeadersMs, undefined, { ref: false });
    if (reply.rawBody !== undefined) return sendRaw(response, reply);
    if (reply.status !== undefined) {
      return sendError(
        response,
        reply.status,
        reply.errorType ?? 'api_error',
        reply.message ?? 'scripted',
        reply.headers,
      );
    }
    const count = cache?.count(body);
    if (count) counts.push(count);
    const message = messageOf({ ...reply, ...(count ? counted(count, reply) : {}) }, received.model);
    for (const block of message.content) if (block['type'] === 'thinking') sentThinking.add(JSON.stringify(block));
    if (!received.stream) return send(response, 200, message);
    return streamMessage(response, reply, message);
  };

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    response.setHeader('request-id', `req_${requests.length + 1}`);
    response.setHeader('anthropic-ratelimit-requests-remaining', '99');
    if (!isAuthorized(request, options.apiKey ?? TEST_API_KEY)) {
      return sendError(response, 401, 'authentication_error', 'invalid x-api-key');
    }
    if (!VERSIONS.has(String(request.headers['anthropic-version']))) {
      return sendError(response, 400, 'invalid_request_error', 'anthropic-version: header is required');
    }
    if (request.method === 'POST' && path === '/v1/messages') return answerMessages(request, response, false);
    if (request.method === 'POST' && path === '/v1/messages/count_tokens')
      return answerMessages(request, response, true);
    const model = /^\/v1\/models\/([^/]+)$/.exec(path)?.[1];
    if (request.method === 'GET' && model && knowsModel(options, model)) {
      return send(response, 200, { id: model, type: 'model', display_name: model, created_at: '2026-01-01T00:00:00Z' });
    }
    return sendError(response, 404, 'not_found_error', 'Not found');
  };

  const server = createServer((request, response) => {
    route(request, response).catch((error: unknown) => {
      // A script that throws is a failing assertion of the test: the client sees an error it does not retry.
      refusals.push(`the script threw: ${String(error)}`);
      if (!response.headersSent)
        sendError(response, 500, 'api_error', 'the script threw', { 'x-should-retry': 'false' });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refusals,
    counts,
    unusedReplies: () => (typeof options.script === 'function' ? 0 : Math.max(0, options.script.length - used)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function counted(read: CachedUsage, { usage, blocks = [] }: Reply): Pick<Reply, 'usage'> {
  if (usage !== undefined) return { usage };
  return { usage: { ...read, output_tokens: Math.ceil(JSON.stringify(blocks).length / 4) } };
}

/** Both ways of the SDK's history: a bearer token, or the older header. */
function isAuthorized(request: IncomingMessage, apiKey: string): boolean {
  return request.headers.authorization === `Bearer ${apiKey}` || request.headers['x-api-key'] === apiKey;
}

function knowsModel(options: MessagesApiOptions, model: string): boolean {
  return options.models ? options.models.includes(model) : model.startsWith('claude-');
}

/** Undefined when the body is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function sendRaw(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status ?? 200, { 'content-type': 'text/html', ...reply.headers }).end(reply.rawBody);
}

function sendError(
  response: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  send(
    response,
    status,
    { type: 'error', error: { type, message }, request_id: response.getHeader('request-id') ?? null },
    headers,
  );
}

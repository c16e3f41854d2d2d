import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findFlaw } from './slack-limits.ts';
import { Uploads } from './slack-uploads.ts';

/** A message as the channel or a thread holds it. */
export interface SlackMessage {
  ts: string;
  channel: string;
  text: string;
  blocks: Block[];
  metadata?: unknown;
  thread_ts?: string;
  /** A reply that the channel sees, too. */
  isShared?: boolean;
  files?: { id: string; name: string; title: string; altText: string; bytes: Buffer }[];
  edits: number;
}
export interface TextObject {
  type: string;
  text: string;
}
export interface Block {
  type: string;
  block_id?: string;
  text?: TextObject;
  fields?: TextObject[];
  elements?: TextObject[];
}

/** How the next calls of `chat.postMessage` (or of the method named) go wrong. */
export type Fault =
  | { readonly kind: 'error'; readonly error: string }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** Takes the message and cuts the connection: the caller cannot know. */
  | { readonly kind: 'close-after-accepting' }
  | { readonly kind: 'never-answer' }
  /** This call goes well. */
  | { readonly kind: 'none' };

export interface SlackApiServer {
  readonly apiUrl: string;
  readonly webhookUrl: string;
  readonly token: string;
  readonly channel: string;
  /** In order of posting; replies included. */
  readonly messages: SlackMessage[];
  /** Messages of the channel itself. */
  roots(): SlackMessage[];
  repliesOf(ts: string): SlackMessage[];
  /** Every call: method and the raw body. */
  readonly calls: { readonly method: string; readonly body: string; readonly atMs: number }[];
  /** Faults of a method, used up one a call. */
  fail(method: string, ...faults: Fault[]): void;
  /** Forgets the faults that are not used up. */
  calm(): void;
  /** Answers 429 to a post that comes sooner than so after the one before it. */
  limitRate(everyMs: number, retryAfterSeconds: number): void;
  /** Messages a page of history; small, so that callers which forget the cursor are found out. */
  pageSize: number;
  /** `missing_scope` for methods that read the channel. */
  forbidReading(): void;
  /** `missing_scope` for what needs it. All that are asked for in docs/slack.md are there at first. */
  removeScope(scope: string): void;
  /** As when somebody deletes a message. */
  remove(ts: string): void;
  close(): Promise<void>;
}

const TOKEN = ['xoxb', 'test', 'token'].join('-');
const CHANNEL = 'C0TEST';

/** A strict stand-in for Slack on loopback: refuses what Slack refuses, in Slack's words. Written from its public documentation. */
export async function startSlackApi(): Promise<SlackApiServer> {
  const state = new SlackState();
  const server = createServer((request, response) => {
    handle(state, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  state.uploads = new Uploads(origin);
  return Object.assign(state, {
    apiUrl: `${origin}/api`,
    webhookUrl: `${origin}/services/T0/B0/hook`,
    token: TOKEN,
    channel: CHANNEL,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

class SlackState {
  readonly messages: SlackMessage[] = [];
  readonly calls: { method: string; body: string; atMs: number }[] = [];
  readonly #faults = new Map<string, Fault[]>();
  #clock = 1_790_000_000_000_000;
  #rate: { everyMs: number; retryAfterSeconds: number; lastAtMs: number } | undefined;
  readonly scopes = new Set(['chat:write', 'channels:history', 'channels:read', 'files:write']);
  uploads = new Uploads('');
  pageSize = 2;

  roots = (): SlackMessage[] => this.messages.filter((message) => message.thread_ts === undefined);
  repliesOf = (ts: string): SlackMessage[] => this.messages.filter((message) => message.thread_ts === ts);
  fail = (method: string, ...faults: Fault[]): void => {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), ...faults]);
  };
  calm = (): void => this.#faults.clear();
  limitRate = (everyMs: number, retryAfterSeconds: number): void => {
    this.#rate = { everyMs, retryAfterSeconds, lastAtMs: -Infinity };
  };
  forbidReading = (): void => {
    this.removeScope('channels:history');
    this.removeScope('channels:read');
  };
  removeScope = (scope: string): void => {
    this.scopes.delete(scope);
  };
  remove = (ts: string): void => {
    this.messages.splice(0, this.messages.length, ...this.messages.filter((message) => message.ts !== ts));
  };

  nextFault(method: string): Fault | undefined {
    return this.#faults.get(method)?.shift();
  }

  isTooFast(): number | undefined {
    const rate = this.#rate;
    if (!rate) return undefined;
    if (performance.now() - rate.lastAtMs < rate.everyMs) return rate.retryAfterSeconds;
    rate.lastAtMs = performance.now();
    return undefined;
  }

  nextTs(): string {
    this.#clock += 1_000_001;
    return `${Math.floor(this.#clock / 1e6)}.${String(this.#clock % 1e6).padStart(6, '0')}`;
  }
}

async function handle(state: SlackState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const body = bytes.toString('utf8');
  if (request.url?.startsWith('/upload/')) {
    response.writeHead(state.uploads.take(request.url, request.headers.authorization, bytes)).end();
    return;
  }
  const isWebhook = request.url === '/services/T0/B0/hook';
  const method = isWebhook ? 'webhook' : (request.url ?? '').replace('/api/', '');
  state.calls.push({ method, body, atMs: performance.now() });

  const fault = state.nextFault(method);
  if (fault?.kind === 'never-answer') return;
  if (fault?.kind === 'status') return sendStatus(response, fault.status, fault.retryAfterSeconds);
  const tooFast = method === 'chat.postMessage' || isWebhook ? state.isTooFast() : undefined;
  if (tooFast !== undefined) return sendStatus(response, 429, tooFast);

  const answer = isWebhook ? takeWebhook(state, body) : takeCall(state, method, request, body, fault);
  if (fault?.kind === 'close-after-accepting') return void response.destroy();
  if (typeof answer === 'string') {
    response.writeHead(answer === 'ok' ? 200 : 400, { 'content-type': 'text/plain' }).end(answer);
    return;
  }
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'x-oauth-scopes': [...state.scopes].join(','),
    })
    .end(JSON.stringify(answer));
}

function sendStatus(response: ServerResponse, status: number, retryAfterSeconds: number | undefined): void {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  response.writeHead(status, headers).end(JSON.stringify({ ok: false, error: 'ratelimited' }));
}

function readInput(isJson: boolean, body: string): Record<string, unknown> | undefined {
  if (!isJson) return Object.fromEntries(new URLSearchParams(body));
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

export type Answer = { ok: boolean; error?: string; [field: string]: unknown };
const refuse = (error: string): Answer => ({ ok: false, error });

function takeCall(
  state: SlackState,
  method: string,
  request: IncomingMessage,
  body: string,
  fault: Fault | undefined,
): Answer {
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return refuse('invalid_auth');
  if (fault?.kind === 'error') return refuse(fault.error);
  const isJson = request.headers['content-type'] === 'application/json; charset=utf-8';
  const input = readInput(isJson, body);
  if (input === undefined) return refuse('invalid_json');
  if (method === 'auth.test') return { ok: true, team: 'Acme', user: 'rootnote' };
  const needed = SCOPES[method];
  if (needed === undefined) return refuse('unknown_method');
  if (!state.scopes.has(needed)) return refuse('missing_scope');
  if (method === 'files.getUploadURLExternal') return isJson ? refuse('invalid_form_data') : state.uploads.begin(input);
  if (method === 'files.completeUploadExternal') return completeUpload(state, input);
  if (input['channel'] !== CHANNEL) return refuse('channel_not_found');
  if (method === 'chat.postMessage') return postMessage(state, input);
  if (method === 'chat.update') return updateMessage(state, input);
  if (isJson) return refuse('invalid_form_data');
  if (method === 'conversations.info') {
    return { ok: true, channel: { id: CHANNEL, name: 'alerts', is_member: true, is_archived: false } };
  }
  if (method === 'conversations.history') return page(state.roots().toReversed(), input, state.pageSize);
  if (method === 'conversations.replies') {
    const root = state.messages.filter((message) => message.ts === input['ts']);
    return root.length === 0
      ? refuse('thread_not_found')
      : page([...root, ...state.repliesOf(String(input['ts']))], input, state.pageSize);
  }
  return refuse('unknown_method');
}

const SCOPES: Readonly<Record<string, string>> = {
  'chat.postMessage': 'chat:write',
  'chat.update': 'chat:write',
  'conversations.info': 'channels:read',
  'conversations.history': 'channels:history',
  'conversations.replies': 'channels:history',
  'files.getUploadURLExternal': 'files:write',
  'files.completeUploadExternal': 'files:write',
};

/** The file appears as a message of its own, in the thread of a parent. */
function completeUpload(state: SlackState, input: Record<string, unknown>): Answer {
  const threadTs = String(input['thread_ts']);
  if (input['channel_id'] !== CHANNEL) return refuse('channel_not_found');
  if (!state.roots().some((root) => root.ts === threadTs)) return refuse('invalid_thread_ts');
  const files = state.uploads.complete(input['files'] as { id: string; title?: string }[]);
  if (files === undefined) return refuse('file_not_found');
  state.messages.push({
    ts: state.nextTs(),
    channel: CHANNEL,
    text: '',
    blocks: [],
    thread_ts: threadTs,
    files,
    edits: 0,
  });
  return { ok: true, files: files.map(({ id, title }) => ({ id, title })) };
}

function page(messages: readonly SlackMessage[], input: Record<string, unknown>, pageSize: number): Answer {
  const from = Number(input['cursor'] ?? 0);
  const to = from + Math.min(pageSize, Number(input['limit'] ?? 100));
  const next = to < messages.length ? String(to) : '';
  const shown = messages.slice(from, to).map(({ files, ...message }) => ({
    ...message,
    ...(files ? { files: files.map(({ id, name }) => ({ id, name })) } : {}),
  }));
  return { ok: true, messages: shown, response_metadata: { next_cursor: next } };
}

function postMessage(state: SlackState, input: Record<string, unknown>): Answer {
  const error = findFlaw(input);
  if (error) return refuse(error);
  const threadTs = typeof input['thread_ts'] === 'string' ? input['thread_ts'] : undefined;
  if (threadTs !== undefined && !state.roots().some((root) => root.ts === threadTs)) return refuse('thread_not_found');
  const ts = state.nextTs();
  state.messages.push({
    ts,
    channel: CHANNEL,
    text: String(input['text']),
    blocks: (input['blocks'] ?? []) as Block[],
    ...(input['metadata'] === undefined ? {} : { metadata: input['metadata'] }),
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    ...(input['reply_broadcast'] === true ? { isShared: true } : {}),
    edits: 0,
  });
  return { ok: true, channel: CHANNEL, ts };
}

function updateMessage(state: SlackState, input: Record<string, unknown>): Answer {
  const message = state.messages.find((candidate) => candidate.ts === input['ts']);
  if (!message) return refuse('message_not_found');
  const error = findFlaw(input);
  if (error) return refuse(error);
  message.text = String(input['text']);
  message.blocks = (input['blocks'] ?? []) as Block[];
  message.edits++;
  return { ok: true, channel: CHANNEL, ts: message.ts, text: message.text };
}

function takeWebhook(state: SlackState, body: string): string {
  const input = JSON.parse(body) as Record<string, unknown>;
  const flaw = findFlaw(input);
  if (flaw) return flaw === 'msg_blocks_too_long' ? flaw : 'invalid_blocks';
  state.messages.push({
    ts: state.nextTs(),
    channel: CHANNEL,
    text: String(input['text']),
    blocks: (input['blocks'] ?? []) as Block[],
    edits: 0,
  });
  return 'ok';
}

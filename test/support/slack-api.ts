import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as the channel or a thread holds it. */
export interface SlackMessage {
  ts: string;
  channel: string;
  text: string;
  blocks: Block[];
  metadata?: unknown;
  thread_ts?: string;
  edits: number;
}
interface TextObject {
  type: string;
  text: string;
}
interface Block {
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
  | { readonly kind: 'never-answer' };

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
  /** Answers 429 to a post that comes sooner than so after the one before it. */
  limitRate(everyMs: number, retryAfterSeconds: number): void;
  /** Messages a page of history; small, so that callers which forget the cursor are found out. */
  pageSize: number;
  /** `missing_scope` for methods that read the channel. */
  forbidReading(): void;
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
  mayRead = true;
  pageSize = 2;

  roots = (): SlackMessage[] => this.messages.filter((message) => message.thread_ts === undefined);
  repliesOf = (ts: string): SlackMessage[] => this.messages.filter((message) => message.thread_ts === ts);
  fail = (method: string, ...faults: Fault[]): void => {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), ...faults]);
  };
  limitRate = (everyMs: number, retryAfterSeconds: number): void => {
    this.#rate = { everyMs, retryAfterSeconds, lastAtMs: -Infinity };
  };
  forbidReading = (): void => {
    this.mayRead = false;
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
  const body = Buffer.concat(chunks).toString('utf8');
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
      'x-oauth-scopes': 'chat:write,channels:history,channels:read',
    })
    .end(JSON.stringify(answer));
}

function sendStatus(response: ServerResponse, status: number, retryAfterSeconds: number | undefined): void {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  response.writeHead(status, headers).end(JSON.stringify({ ok: false, error: 'ratelimited' }));
}

type Answer = { ok: boolean; error?: string; [field: string]: unknown };
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
  const input = isJson ? (JSON.parse(body) as Record<string, unknown>) : Object.fromEntries(new URLSearchParams(body));
  if (method === 'auth.test') return { ok: true, team: 'Acme', user: 'rootnote' };
  if (input['channel'] !== CHANNEL) return refuse('channel_not_found');
  if (method === 'chat.postMessage') return postMessage(state, input);
  if (method === 'chat.update') return updateMessage(state, input);
  if (isJson) return refuse('invalid_form_data');
  if (!state.mayRead) return refuse('missing_scope');
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

function page(messages: readonly SlackMessage[], input: Record<string, unknown>, pageSize: number): Answer {
  const from = Number(input['cursor'] ?? 0);
  const to = from + Math.min(pageSize, Number(input['limit'] ?? 100));
  const next = to < messages.length ? String(to) : '';
  return { ok: true, messages: messages.slice(from, to), response_metadata: { next_cursor: next } };
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
  if (findFlaw(input)) return 'invalid_blocks';
  state.messages.push({
    ts: state.nextTs(),
    channel: CHANNEL,
    text: String(input['text']),
    blocks: (input['blocks'] ?? []) as Block[],
    edits: 0,
  });
  return 'ok';
}

/** Slack's documented limits. */
function findFlaw(input: Record<string, unknown>): string | undefined {
  const text = input['text'];
  if (typeof text !== 'string' || text === '') return 'no_text';
  if (text.length > 40_000) return 'msg_too_long';
  const blocks = (input['blocks'] ?? []) as Block[];
  if (blocks.length > 50) return 'invalid_blocks';
  const ids = blocks.flatMap((block) => block.block_id ?? []);
  if (new Set(ids).size !== ids.length || ids.some((id) => id.length > 255)) return 'invalid_blocks';
  if (!blocks.every(isValidBlock)) return 'invalid_blocks';
  const total = blocks.flatMap(textsOf).reduce((sum, part) => sum + part.text.length, 0);
  return total > 13_200 ? 'msg_blocks_too_long' : undefined;
}

function isValidBlock(block: Block): boolean {
  const within = (object: TextObject | undefined, max: number, type?: string) =>
    object !== undefined && object.text.length >= 1 && object.text.length <= max && (!type || object.type === type);
  if (block.type === 'header') return within(block.text, 150, 'plain_text');
  if (block.type === 'context') {
    return (
      (block.elements ?? []).length >= 1 &&
      (block.elements ?? []).length <= 10 &&
      textsOf(block).every((part) => within(part, 3000))
    );
  }
  if (block.type !== 'section') return false;
  if (block.fields)
    return block.fields.length >= 1 && block.fields.length <= 10 && block.fields.every((field) => within(field, 2000));
  return within(block.text, 3000);
}

function textsOf(block: Block): TextObject[] {
  return [...(block.text ? [block.text] : []), ...(block.fields ?? []), ...(block.elements ?? [])];
}

import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type RequestOptions,
  type Tool,
} from '@modelcontextprotocol/client';
import pLimit from 'p-limit';
import { admitTools, type Admission } from './admit-tools.ts';
import { Breaker } from './breaker.ts';
import type { ToolDefinition } from './definition.ts';
import type { DisabledReason } from './exposure.ts';
import { explainFailure, isAnswer, isTimeout } from './failure.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { McpServerSettings } from './settings.ts';
import { StdioTransport } from './stdio-transport.ts';
import { abortAfter } from '../domain/deadline.ts';

export interface ServerDeps {
  /** Of Rootnote, told to servers. */
  readonly version: string;
  readonly now: () => number;
  /** A tool of the allow-list has become unavailable. Called once for each time that it becomes so. */
  readonly onDisabled: (server: string, reason: DisabledReason) => void;
}

/** The server could not be used. `message` is a clause for people and may quote the server: redact it. */
export class McpServerAway extends Error {
  override readonly name = 'McpServerAway';
}

interface Connection {
  readonly client: Client;
  readonly listed: readonly ToolDefinition[];
  readonly admissions: readonly Admission[];
}

const CALLS_AT_ONCE = 4;
/** A working server greets within this; an investigation waits for no longer. */
const CONNECT_MS = 10_000;
const MOST_PAGES = 20;

/**
 * One server. Connects at the first use and again after a loss; what it lists is judged each time it is read. After a notice that its tools have
 * changed nothing is called until they have been read and judged again.
 */
export class McpServer {
  readonly settings: McpServerSettings;
  readonly #deps: ServerDeps;
  readonly #breaker: Breaker;
  readonly #limit = pLimit(CALLS_AT_ONCE);
  readonly #disabled = new Map<string, DisabledReason>();
  #client: Client | undefined;
  #connection: Connection | undefined;
  #reading: Promise<Connection> | undefined;
  #stderr: () => string = () => '';
  /** Why the connection broke, when that is known: the client only says that it is closed. */
  #breakage: Error | undefined;
  /** Counts the server's notices of change: a list that was read across one is not kept. */
  #changes = 0;
  readonly #stop = new AbortController();

  constructor(settings: McpServerSettings, deps: ServerDeps) {
    this.settings = settings;
    this.#deps = deps;
    this.#breaker = new Breaker(deps.now);
  }

  /** Reads its tools afresh, connecting when needed; who asks at the same time gets the same answer. Throws `McpServerAway` or the signal's reason. */
  async read(signal: AbortSignal): Promise<Pick<Connection, 'listed' | 'admissions'>> {
    this.#connection = undefined;
    return this.#ready(signal);
  }

  /** The verdict on one tool of the allow-list, as of now. */
  async admission(tool: string, signal: AbortSignal): Promise<Admission | undefined> {
    const { admissions } = await this.#ready(signal);
    return admissions.find((verdict) => (verdict.kind === 'exposed' ? verdict.definition.name : verdict.tool) === tool);
  }

  /** Calls an admitted tool. Throws `McpServerAway` for no answer, a `ProtocolError` for a refusal, the signal's reason when it aborts. */
  call(definition: ToolDefinition, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
    return this.#limit(async () => {
      const { client } = await this.#ready(signal);
      // Without its output schema: a stranger's patterns are not run over what it answers, and only text is read anyway.
      const { name, description, inputSchema } = definition;
      const toolDefinition = { name, description, inputSchema: { ...inputSchema, type: 'object' as const } };
      try {
        const options = { timeout: this.settings.timeoutMs, signal, toolDefinition };
        const result = await client.callTool({ name, arguments: input }, options);
        this.#breaker.succeed();
        return result;
      } catch (error) {
        signal.throwIfAborted();
        if (isAnswer(error)) throw error;
        throw this.#failed(error, this.settings.timeoutMs);
      }
    });
  }

  /** Ends the connection and the process. Nothing connects after this. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('it is stopped'));
    await this.#reading?.catch(() => undefined);
    await this.#drop();
  }

  async #ready(signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted();
    if (this.#connection) return this.#connection;
    this.#reading ??= this.#readTools().finally(() => (this.#reading = undefined));
    // Whoever gives up does so alone: others wait for the same connection.
    return orAborted(this.#reading, signal);
  }

  async #readTools(): Promise<Connection> {
    const refusal = this.#stop.signal.aborted ? 'it is stopped' : this.#breaker.refusal();
    if (refusal !== undefined) throw new McpServerAway(refusal);
    const timeoutMs = Math.min(CONNECT_MS, this.settings.timeoutMs);
    const options = {
      timeout: timeoutMs,
      signal: abortAfter(this.#stop.signal, timeoutMs),
    };
    try {
      const client = (this.#client ??= await this.#connect(options));
      const changes = this.#changes;
      const { tools } = await client.listTools(undefined, { ...options, cacheMode: 'bypass' });
      const listed = tools.map(toDefinition);
      const connection = { client, listed, admissions: admitTools(this.settings, listed) };
      this.#count(connection.admissions);
      this.#breaker.succeed();
      if (this.#client === client && this.#changes === changes) this.#connection = connection;
      return connection;
    } catch (error) {
      throw this.#failed(error, timeoutMs);
    }
  }

  /** No capabilities are declared: the server has nothing to call back. */
  async #connect(options: RequestOptions): Promise<Client> {
    const client = new Client({ name: 'rootnote', version: this.#deps.version }, { listMaxPages: MOST_PAGES });
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#changed());
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no listeners, only this slot
    client.onclose = () => {
      if (this.#client === client) this.#forget();
    };
    await client.connect(this.#transport(), options);
    return client;
  }

  #transport() {
    const { transport, maxBytes } = this.settings;
    if (transport.kind === 'stdio') {
      const child = new StdioTransport(transport, maxBytes, (error) => this.#broke(error));
      this.#stderr = () => child.stderr;
      return child;
    }
    const fetch = guardedFetch(transport, maxBytes, (error) => this.#broke(error));
    const options = { fetch, requestInit: { headers: { ...transport.headers } } };
    return new StreamableHTTPClientTransport(new URL(transport.url), options);
  }

  /** Its tools are other ones now, or say so: none is called before they are read and judged again. */
  #changed(): void {
    for (const verdict of this.#connection?.admissions ?? [])
      if (verdict.kind === 'exposed') this.#deps.onDisabled(this.settings.name, 'list_changed');
    this.#changes += 1;
    this.#connection = undefined;
  }

  #count(admissions: readonly Admission[]): void {
    for (const verdict of admissions) {
      if (verdict.kind === 'exposed') this.#disabled.delete(verdict.definition.name);
      else if (this.#disabled.get(verdict.tool) !== verdict.reason) {
        this.#disabled.set(verdict.tool, verdict.reason);
        this.#deps.onDisabled(this.settings.name, verdict.reason);
      }
    }
  }

  /** One late answer says nothing about the other calls; several, or a broken connection, mean a new start. */
  #failed(error: unknown, timeoutMs: number): McpServerAway {
    this.#breaker.fail();
    const why = this.#breakage?.message ?? explainFailure(error, timeoutMs, this.#stderr());
    this.#breakage = undefined;
    if (!isTimeout(error) || this.#breaker.refusal() !== undefined) void this.#drop();
    return new McpServerAway(why, { cause: error });
  }

  /** What is still open on the connection gets no answer any more. */
  #broke(error: Error): void {
    this.#breakage = error;
    void this.#drop();
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#forget();
    await client?.close().catch(() => undefined);
  }

  #forget(): void {
    this.#client = undefined;
    this.#connection = undefined;
  }
}

/** Of what a server says of a tool, what is hashed, judged and shown. */
function toDefinition({ name, description, inputSchema, annotations }: Tool): ToolDefinition {
  return { name, description, inputSchema, annotations };
}

/** What the promise gives, or the signal's reason as soon as it aborts. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    settled.abort();
  }
}

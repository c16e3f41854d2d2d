import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadBuffer, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import type { StdioSettings } from './settings.ts';

const STDERR_TAIL = 1000;
/** How long a server may take to end once its input is closed, and again after SIGTERM. */
const GRACE_MS = 1500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Process groups that must not outlive this process. */
const groups = new Set<number>();
process.on('exit', () => {
  for (const pid of groups) signalGroup(pid, 'SIGKILL');
});

/**
 * A server as a child process that speaks JSON lines. In a process group of its own, so that what the server starts (a package runner starts the real
 * one) ends with it; with the environment of its settings and nothing else; what it prints on stderr is kept in part, for messages.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #settings: StdioSettings;
  readonly #buffer: ReadBuffer;
  readonly #maxBytes: number;
  readonly #onCut: (error: Error) => void;
  #child: Child | undefined;
  #gone: Promise<void> = Promise.resolve();
  #stderr = '';

  /** `onCut`: the server said more at once than `maxBytes`, and what follows could not be told apart any more. */
  constructor(settings: StdioSettings, maxBytes: number, onCut: (error: Error) => void) {
    this.#settings = settings;
    this.#maxBytes = maxBytes;
    this.#onCut = onCut;
    this.#buffer = new ReadBuffer({ maxBufferSize: maxBytes });
  }

  /** The last of what the server printed on stderr. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  start(): Promise<void> {
    const { command, args, env } = this.#settings;
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
      this.#child = child;
      this.#gone = new Promise((gone) => {
        child.once('close', gone);
        child.once('error', () => gone());
      });
      child.once('spawn', () => {
        groups.add(child.pid ?? 0);
        resolve();
      });
      child.once('error', reject);
      // What the server has started may hold its pipes open.
      child.once('exit', () => signalGroup(child.pid ?? 0, 'SIGKILL'));
      child.once('close', () => this.#closed(child));
      child.stdin.on('error', (error) => this.onerror?.(error));
      child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        this.#stderr = (this.#stderr + chunk).slice(-STDERR_TAIL);
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (!child?.stdin.writable) return Promise.reject(new Error('the server has ended'));
    return new Promise((resolve, reject) => {
      child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Closes the server's input, then asks, then kills all of its group. Safe to call twice. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const overdue = new AbortController();
      const wait = sleep(GRACE_MS, 'late', { signal: overdue.signal }).catch(() => 'gone');
      const outcome = await Promise.race([this.#gone.then(() => 'gone'), wait]);
      overdue.abort();
      if (outcome === 'gone') break;
      signalGroup(child.pid ?? 0, signal);
    }
    // What has left the group may hold the pipes open for as long as it likes.
    child.stdout.destroy();
    child.stderr.destroy();
    await this.#gone;
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (cause) {
      this.#onCut(new Error(`its answer is larger than ${this.#maxBytes} bytes`, { cause }));
      signalGroup(this.#child?.pid ?? 0, 'SIGKILL');
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error as Error);
      }
    }
  }

  #closed(child: Child): void {
    groups.delete(child.pid ?? 0);
    this.#child = undefined;
    this.#buffer.clear();
    this.onclose?.();
  }
}

/** 0 would be our own group. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 0) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Already gone.
  }
}

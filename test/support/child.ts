import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  /** Everything printed so far, both streams. */
  output(): string;
  exited(): boolean;
  /** Ends the process (SIGTERM, after 5 s SIGKILL) and waits until it is gone. Safe to call twice. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

const running = new Set<ChildProcess>();
// A test run that dies must leave nothing behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program and keeps what it prints. Throws when it cannot be started. */
export async function startChild(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Child> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  await once(child, 'spawn');
  running.add(child);
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      running.delete(child);
      resolve();
    });
  });
  const exited = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals) => {
    if (!exited()) child.kill(signal);
    const overdue = new AbortController();
    await Promise.race([
      gone,
      sleep(5000, undefined, { signal: overdue.signal }).then(
        () => child.kill('SIGKILL'),
        () => undefined,
      ),
    ]);
    overdue.abort();
    await gone;
  };
  return {
    pid: child.pid ?? -1,
    process: child,
    output: () => output,
    exited,
    // A stopped (SIGSTOP) process would not see SIGTERM.
    stop: () => {
      child.kill('SIGCONT');
      return end('SIGTERM');
    },
    kill: () => end('SIGKILL'),
  };
}

/** Polls until `ready` answers true. Throws with the child's output when it exits first or `timeoutMs` passes. */
export async function waitUntilReady(
  child: Child,
  name: string,
  ready: () => Promise<boolean>,
  timeoutMs = 20_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await ready().catch(() => false))) {
    if (child.exited()) throw new Error(`${name} ended at once: ${child.output()}`);
    if (Date.now() > deadline) {
      await child.kill();
      throw new Error(`${name} was not ready after ${timeoutMs} ms: ${child.output()}`);
    }
    await sleep(50);
  }
}

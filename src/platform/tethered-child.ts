import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs a program that must not outlive this process, not even when this process is killed with -9. A shell holds the reading end of a
 * pipe whose writing end only this process has: the kernel closes it when this process ends, however it ends, and the shell then
 * ends the program. No polling, no second Node, works on every Unix. SIGTERM to the shell is passed on.
 */
const TETHER = `
exec 3<&0
"$@" </dev/null &
program=$!
( while read -r _ <&3; do :; done; kill -TERM "$program"; sleep 10; kill -KILL "$program" ) >/dev/null 2>&1 &
tether=$!
trap 'kill -TERM "$program" 2>/dev/null' TERM
exec 3<&-
wait "$program"; code=$?
while kill -0 "$program" 2>/dev/null; do wait "$program"; code=$?; done
kill "$tether" 2>/dev/null
exit "$code"
`;

export interface TetheredChild {
  /** Resolves when the program has ended, with its exit code as a shell gives it. Never rejects. */
  readonly ended: Promise<number>;
  /** Undefined while it runs. */
  exitCode(): number | undefined;
  /** The last of what the program printed. */
  output(): string;
  /** SIGTERM; SIGKILL for all of it when it is still there after `graceMs`. Returns when it is gone. Safe to call twice. */
  stop(graceMs: number): Promise<void>;
}

export interface TetherOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

const OUTPUT_TAIL = 2000;
/** 128 + SIGKILL, as a shell says it. */
const KILLED = 137;

/** Throws when not even the shell can be started. */
export async function startTethered(
  command: string,
  args: readonly string[],
  { cwd, env }: TetherOptions,
): Promise<TetheredChild> {
  const child = spawn('/bin/sh', ['-c', TETHER, 'tether', command, ...args], {
    cwd,
    ...(env === undefined ? {} : { env }),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A process group of its own: Ctrl-C in a terminal must reach this process alone, which then stops things in order.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-OUTPUT_TAIL);
    });
  }
  child.stdin.on('error', () => undefined);
  let exitCode: number | undefined;
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code) => {
      exitCode = code ?? KILLED;
      resolve(exitCode);
    });
  });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  return {
    ended,
    exitCode: () => exitCode,
    output: () => output.trim(),
    stop: async (graceMs) => {
      child.kill('SIGTERM');
      const inTime = new AbortController();
      const overdue = sleep(graceMs, undefined, { signal: inTime.signal }).then(
        () => killGroup(pid),
        () => undefined,
      );
      await ended;
      inTime.abort();
      await overdue;
    },
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

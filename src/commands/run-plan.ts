import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import type { Plan, Stage, Step } from '../policy/shell/classify.ts';
import type { Surroundings } from './surroundings.ts';

export interface RunLimits {
  /** Of the whole line. */
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** How a line ended. `exitCode` is null when it was stopped. */
export interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** In words; empty when nothing was cut. */
  readonly cut: string;
}

/** The seam for tests: what starts a process. */
export type Spawn = (path: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

export interface Runner {
  readonly paths: ReadonlyMap<string, string>;
  readonly surroundings: Surroundings;
  readonly limits: RunLimits;
  readonly spawn?: Spawn;
}

const MAX_STDERR_BYTES = 8192;

/**
 * Runs the steps of a plan one after the other, as `&&`, `||` and `;` say. Every program of the plan has to be in `paths`. Never rejects for what a
 * program does; when the time is over, the output too large or `signal` aborts, all its processes are killed.
 */
export async function runPlan(plan: Plan, runner: Runner, signal: AbortSignal): Promise<Outcome> {
  const stop = new AbortController();
  const answer = new Answer(runner.limits.maxOutputBytes, () => stop.abort('size'));
  const onAbort = () => stop.abort('abort');
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => stop.abort('time'), runner.limits.timeoutMs);
  let exitCode: number | null = 0;
  try {
    for (const step of plan.steps) {
      if (stop.signal.aborted) break;
      if ((step.when === 'success' && exitCode !== 0) || (step.when === 'failure' && exitCode === 0)) continue;
      exitCode = await runStep(step, runner, answer, stop.signal);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
  return answer.outcome(stop.signal.aborted ? null : exitCode, whyStopped(stop.signal, runner.limits));
}

function whyStopped({ aborted, reason }: AbortSignal, limits: RunLimits): string {
  if (!aborted) return '';
  if (reason === 'size')
    return `Cut after ${limits.maxOutputBytes} bytes; narrow it, for example with grep, head or tail.`;
  return reason === 'time' ? `Stopped after ${limits.timeoutMs} ms; this is what it had printed by then.` : 'Stopped.';
}

/** Output of all steps, in the order in which it came. */
class Answer {
  private readonly out: Buffer[] = [];
  private readonly err: Buffer[] = [];
  private bytes = 0;
  private errorBytes = 0;
  private readonly maxBytes: number;
  private readonly onFull: () => void;

  constructor(maxBytes: number, onFull: () => void) {
    this.maxBytes = maxBytes;
    this.onFull = onFull;
  }

  readonly take = (chunk: Buffer): void => {
    this.out.push(chunk.subarray(0, Math.max(0, this.maxBytes - this.bytes)));
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes) this.onFull();
  };

  readonly takeError = (chunk: Buffer): void => {
    this.err.push(chunk.subarray(0, Math.max(0, MAX_STDERR_BYTES - this.errorBytes)));
    this.errorBytes += chunk.length;
  };

  outcome(exitCode: number | null, cut: string): Outcome {
    return {
      exitCode,
      stdout: Buffer.concat(this.out).toString('utf8'),
      stderr: Buffer.concat(this.err).toString('utf8'),
      cut,
    };
  }
}

/** One pipeline; its exit code is that of its last program. */
async function runStep({ stages }: Step, runner: Runner, answer: Answer, stop: AbortSignal): Promise<number | null> {
  const children = stages.map((stage, i) => start(stage, i === 0, runner));
  const kill = () => children.forEach(killGroup);
  if (stop.aborted) kill();
  stop.addEventListener('abort', kill, { once: true });
  stages.forEach((stage, i) => {
    const [child, next] = [children[i], children[i + 1]];
    if (!child) return;
    const sources = [child.stdout, stage.stderr === 'next' ? child.stderr : null].filter((stream) => stream !== null);
    if (next?.stdin) connect(sources, next.stdin);
    else sources.forEach((source) => source.on('data', answer.take));
    // That its reader has left early is no news.
    if (stage.stderr !== 'next')
      child.stderr?.on('data', (chunk: Buffer) => next?.stdin?.destroyed || answer.takeError(chunk));
  });
  try {
    const codes = await Promise.all(children.map((child, i) => ended(child, stages[i], answer)));
    return codes.at(-1) ?? null;
  } finally {
    stop.removeEventListener('abort', kill);
  }
}

function start(stage: Stage, isFirst: boolean, { paths, surroundings, spawn: starts = spawn }: Runner): ChildProcess {
  const path = paths.get(stage.program);
  if (path === undefined) throw new Error(`${stage.program} is not among the programs that may be started`);
  const child = starts(path, [...stage.args], {
    shell: false,
    argv0: stage.program,
    cwd: surroundings.folder,
    env: surroundings.env,
    // A group of its own, so that whatever it starts is killed with it.
    detached: true,
    windowsHide: true,
    stdio: [
      isFirst ? 'ignore' : 'pipe',
      stage.stdout === 'null' ? 'ignore' : 'pipe',
      stage.stderr === 'null' ? 'ignore' : 'pipe',
    ],
  });
  dieFirst(child);
  return child;
}

/** When memory runs out, the kernel is to end the command and not the worker. Where there is no such file, nothing is lost. */
function dieFirst({ pid }: ChildProcess): void {
  if (pid !== undefined) writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => undefined);
}

/** Everything of `sources` into `target`, which ends when they all have. A reader that leaves early (`head`) closes them: their writer is told by the kernel. */
function connect(sources: readonly Readable[], target: Writable): void {
  let open = sources.length;
  if (open === 0) target.end();
  target.on('error', () => sources.forEach((source) => source.destroy()));
  target.on('close', () => sources.forEach((source) => source.destroy()));
  for (const source of sources) {
    source.pipe(target, { end: false });
    source.on('close', () => {
      if (--open === 0) target.end();
    });
  }
}

function ended(child: ChildProcess, stage: Stage | undefined, answer: Answer): Promise<number | null> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      answer.takeError(Buffer.from(`${stage?.program ?? ''}: could not be started (${error.message})\n`));
      child.stdin?.destroy();
      resolve(127);
    });
    child.on('close', (code) => resolve(code));
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

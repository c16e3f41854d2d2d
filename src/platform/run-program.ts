import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RunOptions {
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

/** The program ended with a code other than 0, by a signal, or could not be started. The message ends with the tail of what it printed. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}

/** More output than this is not kept: the first half stays (results), the rest is dropped. */
const MAX_OUTPUT_CHARACTERS = 4_000_000;
const TAIL_CHARACTERS = 400;

/**
 * Runs one program without a shell and returns its standard output. Throws `ProgramError` when it fails, outlives `timeoutMs`
 * or the signal aborts; the program is killed then.
 */
export async function runProgram(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  const timer = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, timer.signal]) : timer.signal;
  const overdue = sleep(options.timeoutMs, undefined, { signal: timer.signal, ref: false }).then(
    () => timer.abort(),
    () => undefined,
  );
  try {
    return await collect(command, args, options, signal);
  } catch (cause) {
    if (cause instanceof ProgramError) throw cause;
    const why = signal.aborted && !options.signal?.aborted ? `took longer than ${options.timeoutMs} ms` : String(cause);
    throw new ProgramError(`${command} ${args[0] ?? ''}: ${why}`, { cause });
  } finally {
    timer.abort();
    await overdue;
  }
}

function collect(command: string, args: readonly string[], options: RunOptions, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.env === undefined ? {} : { env: options.env }),
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (stdout.length < MAX_OUTPUT_CHARACTERS) stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-TAIL_CHARACTERS);
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      if (code === 0) return resolve(stdout);
      const tail = (stderr || stdout.slice(-TAIL_CHARACTERS)).trim();
      reject(new ProgramError(`${command} ${args[0] ?? ''}: ended with ${code ?? killedBy}: ${tail}`));
    });
  });
}

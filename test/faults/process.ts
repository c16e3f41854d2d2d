import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type Child } from '../support/child.ts';
import { eventually } from '../support/eventually.ts';
import { projectRoot } from '../support/programs.ts';

export type Role = 'all' | 'serve' | 'work' | 'schedule';
type Environment = Readonly<Record<string, string>>;

/** One process of the product, ended by its pid only. */
export interface Member {
  readonly role: Role;
  readonly child: Child;
  readonly url: string;
  /** kill -9. Returns when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; waits until it has ended by itself. Its exit code, and how long that took; null when it had to be killed. */
  terminate(): Promise<{ readonly code: number | null; readonly ms: number }>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** Status of a GET; undefined while nobody answers within five seconds. */
  status(path: string): Promise<number | undefined>;
  text(path: string): Promise<string>;
  /** True when it ended and nobody here had asked for that. */
  crashed(): boolean;
}

export interface MemberOptions {
  /** Default: its /readyz answers 200. `alive`: it listens. `started`: the process is there. */
  readonly until?: 'ready' | 'alive' | 'started';
  /** A program that starts the role otherwise than the command line does. */
  readonly program?: string;
  /** Its death is part of the plan. */
  readonly mayDie?: boolean;
}

/** Built by the set-up of `npm run test:faults`; without `bin/`, which would look at every start whether the build is fresh. */
const MAIN = join(projectRoot(), 'dist', 'src', 'main.js');
/** Fifty may start at once, on two processors that others use as well. */
const START_LIMIT_MS = 600_000;
const EXIT_LIMIT_MS = 60_000;
const ASK_LIMIT_MS = 5000;

/**
 * Starts a role in a folder of its own with nothing in its environment but PATH and `env`. Port 0: it says where it listens. `onStart` hears of it as
 * soon as there is something to end.
 */
export async function startMember(
  role: Role,
  env: Environment,
  options: MemberOptions = {},
  onStart: (member: Member, folder: string) => void = () => undefined,
): Promise<Member> {
  const { until = 'ready', program = MAIN, mayDie = false } = options;
  const folder = await mkdtemp(join(tmpdir(), 'rn-fault-'));
  const child = await startChild(process.execPath, [program, role], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', STATE_DIR: folder, PORT: '0', ...env },
  });
  let url = '';
  let ended = mayDie;
  const ask = async (path: string) => fetch(`${url}${path}`, { signal: AbortSignal.timeout(ASK_LIMIT_MS) });
  const member: Member = {
    role,
    child,
    get url() {
      return url;
    },
    kill: () => {
      ended = true;
      return child.kill();
    },
    terminate: async () => {
      ended = true;
      const beganMs = Date.now();
      child.process.kill('SIGTERM');
      const gone = await eventually('its end', () => child.exited(), Boolean, EXIT_LIMIT_MS).catch(() => false);
      await child.kill();
      return { code: gone ? child.process.exitCode : null, ms: Date.now() - beganMs };
    },
    freeze: () => void child.process.kill('SIGSTOP'),
    thaw: () => void child.process.kill('SIGCONT'),
    status: async (path) => {
      try {
        const response = await ask(path);
        await response.text();
        return response.status;
      } catch {
        return undefined;
      }
    },
    text: async (path) => (await ask(path)).text(),
    crashed: () => child.exited() && !ended,
  };
  onStart(member, folder);
  if (until === 'started') return member;
  await eventually(
    `${role} says where it listens`,
    () => {
      url = /"url":"(http:[^"]+)"[^\n]*"msg":"ready to work"/.exec(child.output())?.[1] ?? '';
      return url !== '' || child.exited();
    },
    Boolean,
    START_LIMIT_MS,
  );
  if (child.exited()) {
    // Killed by its own test meanwhile, or broken.
    if (ended) return member;
    throw new Error(`rootnote ${role} ended at once: ${child.output().slice(-2000)}`);
  }
  if (until === 'alive') return member;
  await eventually(
    `${role} is ready`,
    async () => child.exited() || (await member.status('/readyz')) === 200,
    Boolean,
    START_LIMIT_MS,
  );
  return member;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { startMessagesApi, TEST_API_KEY, type MessagesApi } from '../messages-api/server.ts';
import { startRootnote, type RootnoteProcess } from '../rootnote-process.ts';
import type { RequestLedger } from './request-ledger.ts';
import { answerAgent, whoAsks, type AgentTurn } from './scripted-agents.ts';

type Environment = Readonly<Record<string, string>>;

/** Worker processes, each with a stand-in for the model of its own, so that the stand-in knows who asks. */
export interface Fleet {
  /** Starts so many and waits for them. `apart`: every other one runs sub-agents alone, the rest investigations alone. */
  start(workers: number, apart: boolean): Promise<void>;
  /** Ends a random one that works; another one starts in its place. */
  killOne(): Promise<void>;
  /** What all workers have said so far. */
  output(): string;
  /** Requests that the stand-ins refused as invalid. */
  refusals(): readonly string[];
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly env: Environment;
  readonly ledger: RequestLedger;
  readonly random: () => number;
  /** Most time that the model takes for an answer, ms. */
  readonly slowestAnswerMs: number;
  /** SIGTERM instead of SIGKILL, with a second of grace. */
  readonly politely: boolean;
  /** A request that kills the process that makes it. Default: none does. */
  readonly isDeadly?: (asked: AgentTurn) => boolean;
}

const NEVER_MS = 600_000;

/** What a process takes, one at a time each. */
type Share = 'both' | 'investigations' | 'sub-agents';

const NOT_TAKEN: Readonly<Record<Share, Environment>> = {
  both: {},
  investigations: { SUB_AGENT_CONCURRENCY: '0' },
  'sub-agents': { WORKER_CONCURRENCY: '0' },
};

interface Worker {
  readonly number: number;
  readonly share: Share;
  readonly process: RootnoteProcess;
  readonly api: MessagesApi;
}

export function createFleet({ env, ledger, random, slowestAnswerMs, politely, isDeadly }: FleetOptions): Fleet {
  const working: Worker[] = [];
  const starting = new Set<Promise<void>>();
  const apis: MessagesApi[] = [];
  const processes: RootnoteProcess[] = [];
  /** Numbers of processes that asked for their death before they were known to work. */
  const doomed = new Set<number>();
  let started = 0;
  let failure: unknown;

  const startOne = async (share: Share) => {
    const number = (started += 1);
    const api = await startMessagesApi((body) => {
      const asked = whoAsks(body);
      ledger.add(asked, number);
      if (isDeadly?.(asked)) {
        void killOf(number);
        return { delayBeforeHeadersMs: NEVER_MS };
      }
      return { ...answerAgent(body), delayBeforeHeadersMs: Math.floor(random() * slowestAnswerMs) };
    });
    apis.push(api);
    const process = await startRootnote('work', {
      ...env,
      ...NOT_TAKEN[share],
      ANTHROPIC_API_KEY: TEST_API_KEY,
      ANTHROPIC_BASE_URL: api.baseUrl,
    });
    processes.push(process);
    const worker = { number, share, process, api };
    if (doomed.has(number)) await bury(worker);
    else working.push(worker);
  };
  const begin = (share: Share): Promise<void> => {
    const begun: Promise<void> = startOne(share)
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => starting.delete(begun));
    starting.add(begun);
    return begun;
  };

  const bury = async (victim: Worker | undefined) => {
    if (!victim) return;
    await (politely ? victim.process.terminate() : victim.process.kill());
    await victim.api.close();
    void begin(victim.share);
  };
  const killOf = (number: number): Promise<void> => {
    const index = working.findIndex((worker) => worker.number === number);
    if (index < 0) doomed.add(number);
    return index < 0 ? Promise.resolve() : bury(working.splice(index, 1)[0]);
  };

  return {
    start: async (workers, apart) => {
      for (let i = 0; i < workers; i++) await begin(apart ? (i % 2 === 0 ? 'investigations' : 'sub-agents') : 'both');
      if (failure) throw failure;
    },
    killOne: async () => {
      while (working.length === 0 && starting.size > 0) await sleep(20);
      if (failure) throw failure;
      await bury(working.splice(Math.floor(random() * working.length), 1)[0]);
    },
    output: () => processes.map(({ output }) => output()).join('\n'),
    refusals: () => apis.flatMap((api) => api.refusals),
    stop: async () => {
      await Promise.all(starting);
      await Promise.all(working.map(({ process }) => process.kill()));
      await Promise.all(working.map(({ api }) => api.close()));
      if (failure) throw failure;
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { startMessagesApi, TEST_API_KEY, type MessagesApi } from '../messages-api/server.ts';
import { startRootnote, type RootnoteProcess } from '../rootnote-process.ts';
import type { RequestLedger } from './request-ledger.ts';
import { answerAgent, whoAsks } from './scripted-agents.ts';

type Environment = Readonly<Record<string, string>>;

/** Worker processes, each with a stand-in for the model of its own, so that the stand-in knows who asks. */
export interface Fleet {
  /** Starts so many and waits for them. */
  start(workers: number): Promise<void>;
  /** kill -9 of a random one that works; another one starts in its place. */
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
}

interface Worker {
  readonly process: RootnoteProcess;
  readonly api: MessagesApi;
}

export function createFleet({ env, ledger, random, slowestAnswerMs }: FleetOptions): Fleet {
  const working: Worker[] = [];
  const starting = new Set<Promise<void>>();
  const apis: MessagesApi[] = [];
  const processes: RootnoteProcess[] = [];
  let failure: unknown;

  const startOne = async () => {
    const number = apis.length;
    const api = await startMessagesApi((body) => {
      ledger.add(whoAsks(body), number);
      return { ...answerAgent(body), delayBeforeHeadersMs: Math.floor(random() * slowestAnswerMs) };
    });
    apis.push(api);
    const process = await startRootnote('work', {
      ...env,
      ANTHROPIC_API_KEY: TEST_API_KEY,
      ANTHROPIC_BASE_URL: api.baseUrl,
    });
    processes.push(process);
    working.push({ process, api });
  };
  const begin = (): Promise<void> => {
    const started: Promise<void> = startOne()
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => starting.delete(started));
    starting.add(started);
    return started;
  };

  return {
    start: async (workers) => {
      for (let i = 0; i < workers; i++) await begin();
      if (failure) throw failure;
    },
    killOne: async () => {
      while (working.length === 0 && starting.size > 0) await sleep(20);
      if (failure) throw failure;
      const [victim] = working.splice(Math.floor(random() * working.length), 1);
      await victim?.process.kill();
      await victim?.api.close();
      void begin();
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

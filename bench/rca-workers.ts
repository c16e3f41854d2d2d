import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readReply, type RankingReply, type RankingRequest } from './rca-reply.ts';

const PARALLEL = 2;
const CASE_TIMEOUT_MS = 120_000;
const WORKER = new URL('./rca-worker.js', import.meta.url);

/** Ranks every recording, two at a time, each in a worker process. Replies come in the order of the requests; a crash costs one case. */
export async function rankAll(
  requests: readonly RankingRequest[],
  onReply: (done: number, request: RankingRequest, reply: RankingReply) => void,
): Promise<readonly RankingReply[]> {
  const replies: RankingReply[] = requests.map(() => ({ error: 'not ranked' }));
  const queue = [...requests.entries()];
  let done = 0;
  const take = (index: number, request: RankingRequest, reply: RankingReply) => {
    replies[index] = reply;
    done += 1;
    onReply(done, request, reply);
  };
  await Promise.all(Array.from({ length: PARALLEL }, () => workThrough(queue, take)));
  return replies;
}

/** Takes requests from the shared queue until it is empty; a worker that died is replaced. */
async function workThrough(
  queue: [number, RankingRequest][],
  take: (index: number, request: RankingRequest, reply: RankingReply) => void,
): Promise<void> {
  let worker: ChildProcess | undefined;
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (!worker || !isAlive(worker)) worker = fork(WORKER);
    take(...next, await ask(worker, next[1]));
  }
  if (!worker || !isAlive(worker)) return;
  const ended = once(worker, 'exit');
  worker.disconnect();
  await ended;
}

function isAlive(worker: ChildProcess): boolean {
  return worker.exitCode === null && worker.signalCode === null && !worker.killed;
}

/** One answer of a worker; an `error` when it crashed or took too long. Never rejects. */
function ask(worker: ChildProcess, request: RankingRequest): Promise<RankingReply> {
  return new Promise((resolve) => {
    const finish = (reply: RankingReply) => {
      clearTimeout(timer);
      worker.removeAllListeners();
      resolve(reply);
    };
    const timer = setTimeout(() => {
      worker.kill('SIGKILL');
      finish({ error: `no answer within ${CASE_TIMEOUT_MS / 1000} s` });
    }, CASE_TIMEOUT_MS);
    worker.once('message', (message) => finish(readReply(message)));
    worker.once('exit', (code, signal) => finish({ error: `worker ended with ${signal ?? `code ${code}`}` }));
    worker.once('error', (error) => finish({ error: error.message }));
    worker.send(request);
  });
}

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { z } from 'zod';
import { endWithUsage, readOptions } from './options.ts';
import { scoreDatasets, type RankedCase, type Score } from './rca-scoring.ts';
import { RankingReply, type RankingRequest } from './rca-reply.ts';

/**
 * `npm run bench:rca -- --cases DIR [--truth DIR] [--json]`: the offline analyst on every recording under DIR, two at a time, each in
 * a worker process. With truth, which is read only after all workers have ended: AC@1, AC@3, Avg@5 and calibration.
 */
const USAGE = `npm run bench:rca -- --cases DIR [--truth DIR] [--until SECONDS] [--json]
  --until SECONDS  hides samples, lines, spans, events and changes later than this after the alert; object snapshots cannot be rewound and stay`;
const PARALLEL = 2;
const CASE_TIMEOUT_MS = 120_000;
const WORKER = new URL('./rca-worker.js', import.meta.url);

interface Recording {
  readonly dataset: string;
  readonly id: string;
  readonly directory: string;
  /** Path under the folder of cases; the truth lies at the same path, plus `.json`. */
  readonly path: string;
}

/** How much of every recording its worker may see. */
type View = Omit<RankingRequest, 'directory'>;

/** Folders with an alert or metrics, at any depth, in order of their paths. `_…` and `.…` folders are not cases. */
function findRecordings(root: string, directory = root): Recording[] {
  const entries = readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (entries.some(({ name }) => /^(alert\.json|metrics\.csv)(\.gz)?$/.test(name))) {
    const path = relative(root, directory);
    const parts = path.split(sep);
    const dataset = parts.length > 1 ? parts[0] : undefined;
    const id = parts.slice(dataset === undefined ? 0 : 1).join('/') || basename(root);
    return [{ dataset: dataset ?? basename(root), id, directory, path }];
  }
  return entries
    .filter((entry) => entry.isDirectory() && !/^[_.]/.test(entry.name))
    .flatMap((entry) => findRecordings(root, join(directory, entry.name)));
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
    worker.once('message', (message) => finish(RankingReply.parse(message)));
    worker.once('exit', (code, signal) => finish({ error: `worker ended with ${signal ?? `code ${code}`}` }));
    worker.once('error', (error) => finish({ error: error.message }));
    worker.send(request);
  });
}

/** Takes recordings from the shared queue until it is empty; a worker that died is replaced. */
async function workThrough(
  queue: Recording[],
  view: View,
  onReply: (recording: Recording, reply: RankingReply) => void,
) {
  let worker: ChildProcess | undefined;
  for (let recording = queue.shift(); recording; recording = queue.shift()) {
    if (!worker || !isAlive(worker)) worker = fork(WORKER);
    onReply(recording, await ask(worker, { directory: recording.directory, ...view }));
  }
  if (!worker || !isAlive(worker)) return;
  const ended = once(worker, 'exit');
  worker.disconnect();
  await ended;
}

function isAlive(worker: ChildProcess): boolean {
  return worker.exitCode === null && worker.signalCode === null && !worker.killed;
}

async function rankAll(recordings: readonly Recording[], view: View): Promise<Map<Recording, RankingReply>> {
  const queue = [...recordings];
  const replies = new Map<Recording, RankingReply>();
  const onReply = (recording: Recording, reply: RankingReply) => {
    replies.set(recording, reply);
    const outcome = 'error' in reply ? reply.error : `${Math.round(reply.ms)} ms`;
    process.stderr.write(`${replies.size}/${recordings.length} ${recording.path || '.'}: ${outcome}\n`);
  };
  await Promise.all(Array.from({ length: PARALLEL }, () => workThrough(queue, view, onReply)));
  return replies;
}

const Truth = z.object({ root_cause_service: z.string() });

function readTruth(truthDirectory: string | undefined, recording: Recording): { truth?: string } {
  if (truthDirectory === undefined) return {};
  const file = join(truthDirectory, `${recording.path}.json`);
  if (!existsSync(file)) return {};
  return { truth: Truth.parse(JSON.parse(readFileSync(file, 'utf8'))).root_cause_service };
}

function rankedCase(
  recording: Recording,
  reply: RankingReply | undefined,
  truthDirectory: string | undefined,
): RankedCase {
  const { dataset, id } = recording;
  const none = { ranked: [], confidence: 0, type: 'unknown', briefTokens: 0, rawTokens: 0, cpuMs: 0 };
  const answer = reply ?? { error: 'not ranked' };
  return { dataset, id, ...none, ...answer, ...readTruth(truthDirectory, recording) };
}

function caseLine(each: RankedCase, reply: RankingReply | undefined): string {
  if (each.error !== undefined) return `${each.dataset}/${each.id}: error: ${each.error}`;
  const ms = reply && 'ms' in reply ? Math.round(reply.ms) : 0;
  const mark = each.truth === undefined ? '' : each.ranked[0] === each.truth ? ' ✓' : ` ✗ (${each.truth})`;
  const first = each.ranked.slice(0, 3).join(', ');
  return `${each.dataset}/${each.id}: ${first}${mark}; ${each.type}, confidence ${each.confidence}; ${each.briefTokens} of ${each.rawTokens} tokens; ${ms} ms`;
}

function scoreLine(score: Score): string {
  const figure = (value: number | undefined) => (value === undefined ? '   –' : value.toFixed(3));
  return [
    score.name.padEnd(14),
    `${score.cases} cases, ${score.errors} errors`.padEnd(22),
    `AC@1 ${figure(score.ac1)}  AC@3 ${figure(score.ac3)}  Avg@5 ${figure(score.avg5)}  ECE ${figure(score.ece)}`,
    `brief ≤ ${score.briefTokensMax}, median ${score.briefTokensMedian} of ${score.rawTokensMedian} tokens (−${(100 * score.reductionMedian).toFixed(1)} %)`,
    `${Math.round(score.cpuMsMedian)} ms CPU`,
  ].join('  ');
}

function viewUntil(seconds: string | undefined): View {
  if (seconds === undefined) return {};
  const untilAfterAlertMs = Number(seconds) * 1000;
  if (seconds === '' || !(untilAfterAlertMs >= 0)) endWithUsage('--until takes a number of seconds', USAGE);
  return { untilAfterAlertMs };
}

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    cases: { type: 'string' },
    truth: { type: 'string' },
    until: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  if (values.cases === undefined) endWithUsage('--cases is missing', USAGE);
  const view = viewUntil(values.until);
  const recordings = existsSync(values.cases) ? findRecordings(values.cases) : [];
  if (recordings.length === 0) {
    process.stderr.write(`No recordings in ${values.cases}: nothing to measure.\n`);
    return;
  }
  if (values.truth !== undefined && !existsSync(values.truth)) {
    process.stderr.write(`No truth in ${values.truth}: cases are ranked, not scored.\n`);
  }
  const replies = await rankAll(recordings, view);
  const cases = recordings.map((recording) => rankedCase(recording, replies.get(recording), values.truth));
  const { datasets, pooled } = scoreDatasets(cases);
  if (values.json) {
    const listed = cases.map(({ dataset, id, ranked, confidence, type, truth, error }) => ({
      dataset,
      id,
      ranked,
      confidence,
      type,
      ...(truth === undefined ? {} : { truth }),
      ...(error === undefined ? {} : { error }),
    }));
    process.stdout.write(`${JSON.stringify({ bench: 'rca', datasets, pooled, cases: listed })}\n`);
    return;
  }
  const lines = recordings.map((recording, i) => caseLine(cases[i] as RankedCase, replies.get(recording)));
  process.stdout.write(`${[...lines, ...[...datasets, pooled].map(scoreLine)].join('\n')}\n`);
}

await main();

import { Worker } from 'node:worker_threads';
import { TemplateMiner } from '../src/funnel/logs/template-miner.ts';
import { FAMILIES, linesOf, type FamilyName } from './log-families.ts';
import { pick, seededRandom } from './seeded-random.ts';

/** How fast lines are mined. Ratios hold on any machine: both sides are measured in turns, by CPU time, in one run. */
export interface LogSpeed {
  readonly lines: number;
  /** Lines per CPU second of the miner, `finish` included, relative to `line.split(' ')` over the same text. */
  readonly mixedAgainstSplit: number;
  /** The labelled files alone, their lines again and again. */
  readonly contentAgainstSplit: number;
  readonly rawAgainstSplit: number;
  /** The slowest kind of lines with random words, relative to the mixed lines. */
  readonly adversarialAgainstMixed: number;
  readonly adversarialRssGrowthMb: number;
  /** 10,000 lines of the mixed kind, `finish` included. */
  readonly tenThousandWarmCpuMs: number;
  readonly tenThousandColdCpuMs: number;
}

/** Lines of the sets that were scored, which make up half of the mixed corpus. */
export interface SampleLines {
  readonly content: readonly string[];
  readonly raw: readonly string[];
}

/** One turn: so many lines are made, untimed, and then split and mined. */
const TURN = 20_000;
const TEN_THOUSAND = 10_000;

/** `isQuick` takes a twentieth of the lines: enough to see that speed has not halved. */
export async function measureSpeed(samples: SampleLines, isQuick: boolean): Promise<LogSpeed> {
  const lines = isQuick ? 50_000 : 1_000_000;
  const adversarialLines = isQuick ? TURN : 100_000;
  warmUp(samples.raw);
  const adversarial = ADVERSARIAL.map((makeLine) => mineAdversarial(adversarialLines, makeLine));
  const mixed = compare(lines, mixedLines(samples.raw));
  const slowest = Math.min(...adversarial.map(({ linesPerCpuSecond }) => linesPerCpuSecond));
  const small = mixedLines(samples.raw)(TEN_THOUSAND, 1);
  return {
    lines,
    mixedAgainstSplit: mixed.ratio,
    contentAgainstSplit: compare(isQuick ? TURN : 100_000, repeated(samples.content)).ratio,
    rawAgainstSplit: compare(isQuick ? TURN : 100_000, repeated(samples.raw)).ratio,
    adversarialAgainstMixed: slowest / mixed.linesPerCpuSecond,
    adversarialRssGrowthMb: Math.max(...adversarial.map(({ rssGrowthMb }) => rssGrowthMb)),
    tenThousandWarmCpuMs: Math.min(...[1, 2, 3].map(() => cpuMs(() => mine(small)))),
    tenThousandColdCpuMs: await mineCold(small),
  };
}

type MakeLines = (count: number, seed: number) => string[];

/** Own families and lines of the files, half and half, in random order; none of the former comes twice. */
function mixedLines(raw: readonly string[]): MakeLines {
  const names = Object.keys(FAMILIES) as FamilyName[];
  return (count, seed) => {
    const random = seededRandom(seed);
    const own = names.flatMap((name) =>
      linesOf(name, Math.ceil(count / 2 / names.length), seed).map(({ line }) => line),
    );
    const lines = Array.from({ length: count }, () => (random() < 0.5 ? pick(random, raw) : pick(random, own)));
    return asRead(lines);
  };
}

function repeated(lines: readonly string[]): MakeLines {
  return (count, seed) =>
    asRead(Array.from({ length: count }, (_, i) => lines[(seed * count + i) % lines.length] ?? ''));
}

/** Lines as a program has them that has read a text and cut it: slices of one string. */
function asRead(lines: readonly string[]): string[] {
  return Buffer.from(lines.map((line) => line.replaceAll('\n', ' ')).join('\n'))
    .toString()
    .split('\n');
}

const LETTERS = 'ghijklmnopqrstuvwxyz';

function randomWord(random: () => number): string {
  return Array.from({ length: 4 + Math.floor(random() * 6) }, () => LETTERS[Math.floor(random() * 20)]).join('');
}

type MakeLine = (random: () => number) => string;

/** Words that no two lines share: in one place, in two, everywhere. */
const ADVERSARIAL: readonly MakeLine[] = [
  (random) => `the session of ${randomWord(random)} was closed by its owner`,
  (random) => `service ${randomWord(random)} handled the request of ${randomWord(random)} quickly`,
  (random) => Array.from({ length: 6 + Math.floor(random() * 5) }, () => randomWord(random)).join(' '),
];

function mineAdversarial(count: number, makeLine: MakeLine) {
  const random = seededRandom(7);
  const makeLines: MakeLines = (length) => Array.from({ length }, () => makeLine(random));
  makeLines(TURN, 0);
  const before = process.memoryUsage().rss;
  const miner = new TemplateMiner();
  let peak = before;
  let ms = 0;
  for (let done = 0; done < count; done += TURN) {
    const lines = makeLines(Math.min(TURN, count - done), done);
    ms += cpuMs(() => addAll(miner, lines));
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  ms += cpuMs(() => miner.finish());
  peak = Math.max(peak, process.memoryUsage().rss);
  return { linesPerCpuSecond: (count / ms) * 1000, rssGrowthMb: (peak - before) / 2 ** 20 };
}

/** Splits and mines the same lines by turns. */
function compare(count: number, makeLines: MakeLines) {
  const miner = new TemplateMiner();
  let splitMs = 0;
  let minerMs = 0;
  for (let done = 0; done < count; done += TURN) {
    const lines = makeLines(Math.min(TURN, count - done), done / TURN + 1);
    splitMs += cpuMs(() => splitAll(lines));
    minerMs += cpuMs(() => addAll(miner, lines));
  }
  minerMs += cpuMs(() => miner.finish());
  return { ratio: splitMs / minerMs, linesPerCpuSecond: (count / minerMs) * 1000 };
}

function warmUp(raw: readonly string[]): void {
  const lines = mixedLines(raw)(TURN, 99);
  for (let round = 0; round < 2; round++) {
    splitAll(lines);
    mine(lines);
  }
}

function mine(lines: readonly string[]): void {
  const miner = new TemplateMiner();
  addAll(miner, lines);
  miner.finish();
}

function addAll(miner: TemplateMiner, lines: readonly string[]): void {
  for (const line of lines) miner.add(line);
}

function splitAll(lines: readonly string[]): number {
  let tokens = 0;
  for (const line of lines) tokens += line.split(' ').length;
  return tokens;
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** In a thread of its own, where nothing has been compiled yet. */
function mineCold(lines: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./cold-miner.js', import.meta.url), { workerData: lines });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

import { readFileSync } from 'node:fs';
import { createBoundedDistil } from '../src/app/distil-bounded.ts';
import { gatherAll } from '../src/providers/gather-all.ts';
import { createRecordingProvider, readRecordedIncident } from '../src/providers/recording/index.ts';

export interface LoadRequest {
  readonly directory: string;
  readonly memoryMb: number;
}

type PerStage = Readonly<Record<'gather' | 'distil', number>>;
export interface LoadReply {
  readonly idleRssMb: number;
  readonly peakRssMb: number;
  /** Longest time that the event loop was held up by work, ms. */
  readonly stallMs: PerStage;
  /** Of all threads of the process, ms. */
  readonly cpuMs: PerStage;
  readonly tokens: number;
  readonly gaps: readonly string[];
  readonly briefText: string;
}

/** The documented defaults. */
const CAPS = { logLines: 1_000_000, spans: 1_000_000, series: 10_000 };
const OPTIONS = { tokenBudget: 5820, eventWindowMs: 300_000 };
const ALL_TIME = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
const GATHER_TIMEOUT_MS = 300_000;
const TICK_MS = 5;

const rssMb = () => Math.round(process.memoryUsage.rss() / 1e6);

/**
 * Time that the main thread has worked, ms (Linux: kernel documentation, scheduler/sched-stats). On a busy machine much time passes in which it
 * did not run at all; elsewhere that cannot be told apart.
 */
function mainThreadMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** A timer that looks how long the thread worked since its last beat: so long a webhook would have waited. */
function watchLoop() {
  let last = mainThreadMs();
  let longestMs = 0;
  let peakMb = rssMb();
  const timer = setInterval(() => {
    const now = mainThreadMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    peakMb = Math.max(peakMb, rssMb());
  }, TICK_MS);
  return {
    takeLongestMs: () => {
      const longest = Math.round(longestMs);
      longestMs = 0;
      return longest;
    },
    stop: () => {
      clearInterval(timer);
      return peakMb;
    },
  };
}

async function investigate({ directory, memoryMb }: LoadRequest): Promise<LoadReply> {
  const { signal } = new AbortController();
  const incident = await readRecordedIncident(directory);
  const idleRssMb = rssMb();
  const loop = watchLoop();
  const stage = async <T>(work: () => Promise<T>) => {
    const before = process.cpuUsage();
    const result = await work();
    // The last stall shows at the tick after it.
    await new Promise((resolve) => setTimeout(resolve, 2 * TICK_MS));
    const { user, system } = process.cpuUsage(before);
    return { result, cpuMs: Math.round((user + system) / 1000), stallMs: loop.takeLongestMs() };
  };
  const options = { timeoutMs: GATHER_TIMEOUT_MS, caps: CAPS, signal };
  const gather = await stage(() => gatherAll([createRecordingProvider(directory)], incident, ALL_TIME, options));
  const distil = await stage(() => createBoundedDistil(memoryMb)(incident, gather.result, OPTIONS, signal));
  const { text, tokens, gaps } = distil.result;
  return {
    idleRssMb,
    peakRssMb: loop.stop(),
    stallMs: { gather: gather.stallMs, distil: distil.stallMs },
    cpuMs: { gather: gather.cpuMs, distil: distil.cpuMs },
    tokens,
    gaps: gaps.map(({ source, message }) => `${source}: ${message}`),
    briefText: text,
  };
}

process.once('message', (request) => {
  void investigate(request as LoadRequest).then((reply) => process.send?.(reply));
});

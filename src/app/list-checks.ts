import type { Config } from '../config/schema.ts';
import { unrunInWords, type CheckOutcome, type CheckStatus, type Job } from '../domain/check.ts';
import type { TicksRead } from '../domain/check-ticks.ts';
import { RedisUnavailable } from '../platform/redis-program.ts';
import { cronInWords } from '../schedule/cron-words.ts';
import { readCron } from '../schedule/cron.ts';
import type { ReadJobs } from '../schedule/read-jobs.ts';
import { createCheckStore } from '../sessions/check-store.ts';
import { RedisUnreachable, withRedis } from './open-redis.ts';
import { openRouting } from './open-routing.ts';
import { missingFolder, readKnownJobs } from './read-known-jobs.ts';

/** A scheduler decides every minute. One that has not for so long is not there. */
const SILENT_MS = 150_000;

/** A run that could look at nothing has the word of its report, in lists too; what is kept says `failed`. */
const SHOWN = { healthy: 'healthy', found: 'found', failed: 'inconclusive' } as const satisfies Record<
  CheckStatus,
  string
>;
type ShownStatus = (typeof SHOWN)[CheckStatus];

/** `running`: it has not ended. `unknown`: it has, without a result that is still kept. The last two were not run at all. */
export type TickStatus = ShownStatus | 'running' | 'unknown' | 'skipped' | 'missed';

/** One check as `rootnote check list --json` shows it. Times are ISO 8601. */
export interface CheckView {
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly cron: string;
  readonly timezone: string;
  /** `cron` in words. */
  readonly when: string;
  /** The newest tick and what became of it; null before the first, and where Redis cannot be read. */
  readonly last: { readonly at: string; readonly status: TickStatus; readonly incident: string | null } | null;
  /** The newest run that has a result. */
  readonly result: {
    readonly at: string;
    readonly status: ShownStatus;
    readonly report: string;
    readonly confidence: number;
    readonly summary: string;
  } | null;
  /** Null of a disabled check. */
  readonly next: string | null;
  /** Ticks that were not run, as the latest or the next report tells them. */
  readonly unrun: readonly string[];
}

export interface CheckList {
  readonly checks: readonly CheckView[];
  /** That JOBS_DIR leads nowhere, in words. */
  readonly missing: string | null;
  /** Mistakes in files that are no check, and then in those of checks that name what is not there. */
  readonly broken: readonly string[];
  readonly incomplete: readonly string[];
  /** Since when no scheduler has decided about ticks; `never` when none is known. Null while one does, and when nobody can know. */
  readonly silentSince: string | null;
  /** Why Redis could not be read; then nothing is known of the past. */
  readonly redis: string | null;
}

/** What there is to know about the checks of JOBS_DIR, with or without a Redis that answers. Throws `ConfigError` for broken routes. */
export async function listChecks(config: Config, say: (line: string) => void, nowMs: number): Promise<CheckList> {
  const read = await readKnownJobs(config, openRouting(config).destinations);
  const missing = missingFolder(config) ?? null;
  try {
    const known = await withRedis(config, say, async (redis) => {
      const store = createCheckStore(redis, config.REDIS_PREFIX);
      const readOne = async ({ name }: Job) => ({
        ticks: await store.readTicks(name),
        result: await store.lastResult(name),
      });
      return Promise.all(read.jobs.map(readOne));
    });
    return { ...viewsOf(read, known, nowMs), missing, silentSince: silentSince(read.jobs, known, nowMs), redis: null };
  } catch (error) {
    if (!(error instanceof RedisUnreachable || error instanceof RedisUnavailable)) throw error;
    return { ...viewsOf(read, [], nowMs), missing, silentSince: null, redis: error.message };
  }
}

interface Known {
  readonly ticks: TicksRead;
  readonly result: CheckOutcome | undefined;
}

function viewsOf({ jobs, broken, incomplete }: ReadJobs, known: readonly Known[], nowMs: number) {
  return {
    checks: jobs.map((job, index) => viewOf(job, known[index], nowMs)),
    broken: broken.flatMap(({ mistakes }) => mistakes),
    incomplete: incomplete.flatMap(({ mistakes }) => mistakes),
  };
}

function viewOf(job: Job, known: Known | undefined, nowMs: number): CheckView {
  const { name, description, enabled, cron, timezone } = job;
  const { state } = known?.ticks ?? {};
  const nextMs = enabled ? readCron(cron, timezone).next(nowMs) : undefined;
  const result = known?.result;
  return {
    name,
    description,
    enabled,
    cron,
    timezone,
    when: cronInWords(cron),
    last: known === undefined ? null : lastOf(known),
    result: result
      ? {
          at: isoOf(result.tickMs),
          status: SHOWN[result.status],
          report: result.reportId,
          confidence: result.confidence,
          summary: result.summary,
        }
      : null,
    next: nextMs === undefined ? null : isoOf(nextMs),
    unrun: [...(state?.last?.unrun ?? []), ...(state?.unrun ?? [])].map(unrunInWords),
  };
}

function lastOf({ ticks: { state, isRunning }, result }: Known): CheckView['last'] {
  const handedIn = state?.last;
  const [newest] = (state?.unrun ?? []).toSorted((a, b) => b.toMs - a.toMs);
  if (newest && newest.toMs > (handedIn?.tickMs ?? 0))
    return { at: isoOf(newest.toMs), status: newest.why === 'missed' ? 'missed' : 'skipped', incident: null };
  if (handedIn === undefined) return null;
  const { tickMs, incidentId } = handedIn;
  const ended = result?.tickMs === tickMs ? SHOWN[result.status] : 'unknown';
  return { at: isoOf(tickMs), status: isRunning ? 'running' : ended, incident: incidentId };
}

/** Of the enabled ones; where there are none nobody has to be there. */
function silentSince(jobs: readonly Job[], known: readonly Known[], nowMs: number): string | null {
  const decided = jobs.flatMap(({ enabled }, index) => (enabled ? [known[index]?.ticks.state?.throughMs ?? 0] : []));
  const latest = Math.max(0, ...decided);
  if (decided.length === 0 || nowMs - latest < SILENT_MS) return null;
  return latest === 0 ? 'never' : isoOf(latest);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

import { existsSync } from 'node:fs';
import type { Config } from '../config/schema.ts';
import type { CheckOutcome, Job } from '../domain/check.ts';
import type { CheckResult } from '../domain/check-result.ts';
import type { Destination } from '../domain/delivery.ts';
import { isoMinute } from '../domain/iso-minute.ts';
import { createCheckStore } from '../sessions/check-store.ts';
import { withRedis } from './open-redis.ts';
import { missingFolder, readKnownJobs } from './read-known-jobs.ts';

const name = 'scheduled checks';

/** How the enabled ones ended when they last ran; nothing of those that have not, and of all where nobody can know. */
export type LastResults = (enabled: readonly Job[]) => Promise<readonly (CheckOutcome | undefined)[]>;

/** Whatever is known of them, in the order of the checks. Throws RedisUnreachable. */
export function readLastResults(config: Config, say: (line: string) => void, enabled: readonly Job[]) {
  return withRedis(config, say, (redis) => {
    const store = createCheckStore(redis, config.REDIS_PREFIX);
    return Promise.all(enabled.map((job) => store.lastResult(job.name)));
  });
}

/** The scheduled checks of JOBS_DIR, and which of them could not look. A folder that is not there is a mistake only where somebody named it. */
export async function checkJobs(
  config: Config,
  destinations: readonly Destination[],
  lastResults: LastResults,
): Promise<CheckResult> {
  const { JOBS_DIR } = config;
  if (!existsSync(JOBS_DIR)) {
    const value = `there is no folder ${JOBS_DIR}`;
    if (missingFolder(config) === undefined) return { name, status: 'off', value };
    return { name, status: 'warn', value, remedy: 'Set JOBS_DIR to the folder with the checks, or unset it.' };
  }
  const { jobs, broken, incomplete } = await readKnownJobs(config, destinations);
  const enabled = jobs.filter((job) => job.enabled);
  const blind = enabled.length === 0 ? [] : blindRuns(enabled, await lastResults(enabled));
  const told = [...broken, ...incomplete].flatMap(({ mistakes }) => mistakes);
  const value = [
    `${enabled.length} enabled, ${jobs.length - enabled.length} disabled in ${JOBS_DIR}`,
    ...(broken.length > 0 ? [`${broken.length} broken`] : []),
    ...(incomplete.length > 0 ? ['some name what is not there, and run without it'] : []),
    ...(blind.length > 0 ? [`the last run was inconclusive of ${blind.length}`] : []),
  ].join('; ');
  if (told.length + blind.length === 0) return { name, status: enabled.length > 0 ? 'ok' : 'off', value };
  const remedy = [
    ...(told.length > 0 ? ['Mend what is told; the format is in jobs/README.md.'] : []),
    ...(blind.length > 0
      ? ['rootnote check run NAME says what each probe misses; delete those that nobody answers.']
      : []),
  ].join(' ');
  return { name, status: broken.length > 0 ? 'fail' : 'warn', value, details: [...told, ...blind], remedy };
}

/** A line for each that saw too little to say that all is well. */
function blindRuns(enabled: readonly Job[], results: readonly (CheckOutcome | undefined)[]): readonly string[] {
  return enabled.flatMap((job, index) => {
    const result = results[index];
    if (result?.status !== 'failed') return [];
    return [`${job.name}, ${isoMinute(result.tickMs)}: ${result.summary}`];
  });
}

import type { Config } from '../config/schema.ts';
import type { Report } from '../domain/report.ts';
import { signsOf } from '../investigate/check-result.ts';
import { findJob } from './find-job.ts';
import { investigateOnce } from './investigate-once.ts';
import { openRouting } from './open-routing.ts';
import { printProbes } from './print-probes.ts';
import { printReport } from './print-report.ts';
import { knownNames } from './read-known-jobs.ts';
import { toJson } from './to-json.ts';

export interface CheckRunRequest {
  readonly name: string;
  readonly recording?: string;
  readonly offline: boolean;
  readonly json: boolean;
  readonly colour: boolean;
}

/** 2 is taken by command lines that are wrong. */
const EXIT_CODES = { healthy: 0, found: 3, failed: 1 } as const;

/**
 * `rootnote check run`: one run of a check in this process, without Redis; nothing is remembered and nobody told. Returns what to print and the exit code.
 * Throws InputError for a name that is none, or a broken file, and ConfigError for broken routes.
 */
export async function runCheck(
  config: Config,
  { name, colour, json, ...options }: CheckRunRequest,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<{ readonly text: string; readonly exitCode: number }> {
  const known = await knownNames(config, openRouting(config).destinations);
  const { job, missing } = await findJob(config, name, known);
  for (const what of missing) say(`rootnote: runs without it: ${what}`);
  const { report } = await investigateOnce(config, { ...options, job, signal, onProgress: say });
  const exitCode = EXIT_CODES[signsOf(report, undefined).status];
  return { text: json ? toJson(report) : printed(report, colour), exitCode };
}

function printed(report: Report, colour: boolean): string {
  const unstored = { ...report, session: null };
  const probes = printProbes(report, { colour });
  return ['', ...(probes === '' ? [] : [probes]), printReport(unstored, { colour })].join('\n');
}

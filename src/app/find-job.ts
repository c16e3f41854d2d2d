import { basename } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { Job } from '../domain/check.ts';
import { didYouMean } from '../policy/nearest.ts';
import { readJob, readJobs, unknownNames, type JobMistakes, type KnownNames } from '../schedule/read-jobs.ts';
import { InputError } from './input-error.ts';

export interface FoundJob {
  readonly job: Job;
  /** What it names and is not there, with file, line and remedy: it runs without that. */
  readonly missing: readonly string[];
}

/** The check of this name in JOBS_DIR, enabled or not, or that of a file. Throws InputError: with its mistakes, or with the name that may be meant. */
export async function findJob(
  { JOBS_DIR: folder }: Pick<Config, 'JOBS_DIR'>,
  name: string,
  known: KnownNames,
): Promise<FoundJob> {
  if (name.endsWith('.md')) {
    const read = await readJob(name, basename(name, '.md'));
    if ('mistakes' in read) throw new InputError(read.mistakes.join('\n'));
    return { job: read.job, missing: unknownNames(read, known) };
  }
  const { jobs, broken, incomplete } = await readJobs(folder, known);
  const job = jobs.find((one) => one.name === name);
  const isOwn = ({ file }: JobMistakes) => basename(file, '.md') === name;
  if (job) return { job, missing: incomplete.find(isOwn)?.mistakes ?? [] };
  const own = broken.find(isOwn);
  if (own) throw new InputError(own.mistakes.join('\n'));
  const names = jobs.map((one) => one.name);
  const hint = didYouMean(name, names) || `; there are ${names.join(', ') || 'none'}`;
  throw new InputError(`there is no check ${JSON.stringify(name)} in ${folder}${hint}`);
}

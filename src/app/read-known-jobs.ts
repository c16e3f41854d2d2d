import { existsSync } from 'node:fs';
import type { Config } from '../config/schema.ts';
import type { Destination } from '../domain/delivery.ts';
import { readJobs, type KnownNames, type ReadJobs } from '../schedule/read-jobs.ts';
import { openSkillShelf } from './open-knowledge.ts';

const DEFAULT_JOBS_DIR = 'jobs';

/** What is wrong with a folder of checks that somebody named and that is not there; undefined of one that is, and where nobody named one. */
export function missingFolder({ JOBS_DIR: folder }: Pick<Config, 'JOBS_DIR'>): string | undefined {
  if (folder === DEFAULT_JOBS_DIR || existsSync(folder)) return undefined;
  return `there is no folder ${folder}: set JOBS_DIR to the folder with the checks, or unset it`;
}

/** The checks of JOBS_DIR, held against the playbooks and destinations that there are. */
export async function readKnownJobs(config: Config, destinations: readonly Destination[]): Promise<ReadJobs> {
  return readJobs(config.JOBS_DIR, await knownNames(config, destinations));
}

/** What a check may name. */
export async function knownNames(config: Config, destinations: readonly Destination[]): Promise<KnownNames> {
  const skills = await openSkillShelf(config).catalogue();
  const nameOf = ({ name }: { readonly name: string }) => name;
  return { skills: skills.map(nameOf), destinations: destinations.map(nameOf) };
}

import type { Config } from '../config/schema.ts';
import type { Destination } from '../domain/delivery.ts';
import { readJobs, type ReadJobs } from '../schedule/read-jobs.ts';
import { openSkillShelf } from './open-knowledge.ts';

/** The checks of JOBS_DIR, held against the playbooks and destinations that there are. */
export async function readKnownJobs(config: Config, destinations: readonly Destination[]): Promise<ReadJobs> {
  const skills = await openSkillShelf(config).catalogue();
  const nameOf = ({ name }: { readonly name: string }) => name;
  return readJobs(config.JOBS_DIR, { skills: skills.map(nameOf), destinations: destinations.map(nameOf) });
}

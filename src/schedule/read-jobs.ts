import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '../domain/check.ts';
import { contradictionsIn } from '../domain/probe.ts';
import { splitFrontMatter } from '../platform/front-matter.ts';
import { readSettingsFile, whyUnreadable } from '../platform/settings-file.ts';
import type { Mistake } from '../policy/explain-issues.ts';
import { didYouMean } from '../policy/nearest.ts';
import { JobFrontMatter } from './job-front-matter.ts';

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const MARKDOWN = /\.(?:markdown|mdown|mkdn?|mdx|md)$/i;
const README = /^readme\./i;
const LARGEST_FILE = 262_144;
const EXAMPLE = 'description: Golden signals, and cron: "0 * * * *"';

/** What is wrong with one file of the jobs folder. */
export interface JobMistakes {
  readonly file: string;
  /** Each begins with `file:line:`, and says what is wrong and what to write. */
  readonly mistakes: readonly string[];
}

export interface ReadJobs {
  readonly jobs: readonly Job[];
  /** Files that are no check: none of them runs. */
  readonly broken: readonly JobMistakes[];
  /** Files of checks that run, but without what they name and is not there. */
  readonly incomplete: readonly JobMistakes[];
}

/** Names that a check may refer to; undefined where nobody can know. */
export interface KnownNames {
  readonly skills?: readonly string[];
  readonly destinations?: readonly string[];
}

/** Reads every `.md` file of the folder but its README. A missing folder means no checks. A file that cannot be used is returned, never skipped silently. */
export async function readJobs(folder: string, known: KnownNames = {}): Promise<ReadJobs> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => error);
  if (!Array.isArray(entries)) {
    const mistakes = [`${folder}: the folder of checks ${whyUnreadable(entries)}: see JOBS_DIR`];
    return { jobs: [], broken: entries.code === 'ENOENT' ? [] : [{ file: folder, mistakes }], incomplete: [] };
  }
  const jobs: Job[] = [];
  const broken: JobMistakes[] = [];
  const incomplete: JobMistakes[] = [];
  for (const entry of entries.filter((name) => MARKDOWN.test(name) && !README.test(name)).toSorted()) {
    const file = join(folder, entry);
    if (!entry.endsWith('.md')) {
      broken.push({ file, mistakes: [`${file}:1: the name of a check's file ends in .md: rename it`] });
      continue;
    }
    const read = await readJob(file, entry.slice(0, -'.md'.length));
    if ('mistakes' in read) {
      broken.push({ file, mistakes: read.mistakes });
      continue;
    }
    jobs.push(read.job);
    const mistakes = unknownNames(read, known);
    if (mistakes.length > 0) incomplete.push({ file, mistakes });
  }
  return { jobs, broken, incomplete };
}

type At = (path: readonly PropertyKey[], message: string) => string;
export interface ReadJob {
  readonly job: Job;
  readonly at: At;
}

export async function readJob(file: string, name: string): Promise<ReadJob | { readonly mistakes: readonly string[] }> {
  const refuse = (...mistakes: readonly string[]) => ({ mistakes });
  if (!NAME.test(name))
    return refuse(`${file}:1: the file name must be lower-case letters, digits and hyphens, at most 64: rename it`);
  const text = await readText(file).catch((error: unknown) => refuse(`${file}:1: the file ${whyUnreadable(error)}`));
  if (typeof text !== 'string') return text;
  const parts = splitFrontMatter(text);
  if (!parts)
    return refuse(`${file}:1: there is no front matter: begin with a line ---, then ${EXAMPLE}, then a line ---`);
  // The line before it keeps the line numbers of the file.
  const read = readSettingsFile(`\n${parts.yaml}`, file, {
    schema: JobFrontMatter,
    example: EXAMPLE,
    inspect: inspectProbes,
  });
  const lastLine = parts.yaml.split('\n').length + 2;
  const emptiness = `${file}:${lastLine}: the body is empty: say below the front matter what the check looks for`;
  const ofBody = parts.body === '' ? [emptiness] : [];
  if ('problems' in read) return refuse(...read.problems.split('\n'), ...ofBody);
  return ofBody.length > 0 ? refuse(...ofBody) : { job: { name, prompt: parts.body, ...read.data }, at: read.at };
}

function inspectProbes(raw: unknown): readonly Mistake[] {
  const { probes } = raw as { readonly probes?: unknown };
  return contradictionsIn(probes).map(({ path, message }) => ({ path: ['probes', ...path], message }));
}

async function readText(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > LARGEST_FILE) throw new Error(`is larger than ${LARGEST_FILE} bytes`);
  return readFile(file, 'utf8');
}

/** Playbooks and destinations that the check names and nobody has. */
export function unknownNames({ job, at }: ReadJob, known: KnownNames): readonly string[] {
  const told = (key: 'skills' | 'destinations', what: string, remedy: string) =>
    job[key].flatMap((name, index) => {
      const names = known[key];
      if (names === undefined || names.includes(name)) return [];
      return [at([key, index], `there is no ${what} ${name}${didYouMean(name, names) || `: ${remedy}`}`)];
    });
  return [
    ...told('skills', 'playbook', 'add it to SKILLS_DIR, or take one of rootnote skills list'),
    ...told('destinations', 'destination', `configured are ${known.destinations?.join(', ') || 'none'}`),
  ];
}

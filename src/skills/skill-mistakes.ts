import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { splitFrontMatter } from '../platform/front-matter.ts';
import { readSettingsFile } from '../platform/settings-file.ts';
import { findSkillFiles, readBeginning } from './skill-files.ts';
import { CATALOGUE_CHARACTERS, isSkillName } from './skill-head.ts';

const EXAMPLE = 'description: One sentence, then the words of alerts';
const Head = z.looseObject({ description: z.string().min(1) });

/**
 * What is wrong with the playbooks of a folder: each begins with `file:line:` and says what to write. One with a mistake can be loaded by its name and is offered
 * for no alert; one with no legal name is not there at all.
 */
export async function skillMistakes(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder).catch(() => []);
  const misnamed = entries
    .filter((entry) => entry.endsWith('.md') && entry !== 'README.md' && !isSkillName(entry.slice(0, -'.md'.length)))
    .map((entry) => {
      const file = join(folder, entry);
      return `${file}:1: the name must be lower-case letters, digits and hyphens, at most 64: rename the file`;
    });
  const read = await Promise.all((await findSkillFiles(folder)).map(({ path }) => mistakesOf(path)));
  return [...misnamed, ...read.flat()];
}

async function mistakesOf(file: string): Promise<readonly string[]> {
  const beginning = await readBeginning(file, CATALOGUE_CHARACTERS);
  if (beginning === undefined) return [`${file}:1: the file cannot be read: see its permissions`];
  const parts = splitFrontMatter(beginning);
  if (!parts) {
    const where = `in the first ${CATALOGUE_CHARACTERS} characters`;
    return [`${file}:1: there is no front matter ${where}: begin with a line ---, then ${EXAMPLE}, then a line ---`];
  }
  // The line before it keeps the line numbers of the file.
  const head = readSettingsFile(`\n${parts.yaml}`, file, { schema: Head, example: EXAMPLE });
  return 'problems' in head ? head.problems.split('\n') : [];
}

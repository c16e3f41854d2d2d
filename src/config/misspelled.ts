import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { settingGroups } from './schema.ts';

/** A variable that no setting reads. `meant` is the setting with nearly the same name. */
export interface UnknownVariable {
  readonly name: string;
  readonly meant?: string;
}

const SETTINGS = settingGroups.flatMap((group) => Object.keys(group.settings));

/** Variables of this process, and of the `.env` file it reads, that somebody may have meant as settings. */
export function misspelledVariables(): readonly UnknownVariable[] {
  const inFile = existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : [];
  return findMisspelled(inFile, Object.keys(process.env));
}

/**
 * Names in the file that are nearly a setting's or begin like one; of the environment, which is full of other programs' names, only
 * those that are nearly a setting's.
 */
export function findMisspelled(inFile: readonly string[], inEnvironment: readonly string[]): UnknownVariable[] {
  const names = [...new Set([...inFile, ...inEnvironment])].filter((name) => !SETTINGS.includes(name));
  return names.flatMap((name) => {
    const meant = nearest(name.toUpperCase(), SETTINGS);
    if (meant !== undefined) return [{ name, meant }];
    return inFile.includes(name) && beginsLikeASetting(name) ? [{ name }] : [];
  });
}

function beginsLikeASetting(name: string): boolean {
  const [word = ''] = name.split('_', 1);
  return word === 'ROOTNOTE' || (word !== name && SETTINGS.some((setting) => setting.startsWith(`${word}_`)));
}

/**
 * The word that differs from `name` in the fewest letters: at most two, and at most a quarter of it, since short names are near to
 * everything (HOME and HOST). Undefined when none is so near.
 */
export function nearest(name: string, words: readonly string[]): string | undefined {
  const limit = Math.min(2, Math.ceil(name.length / 4));
  const [best] = words
    .map((word) => ({ word, distance: editDistance(name, word) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.word;
}

/** Levenshtein distance: insertions, deletions and replacements of one letter. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

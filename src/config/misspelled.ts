import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { nearest } from '../policy/nearest.ts';
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

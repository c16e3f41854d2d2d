import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's own playbooks: `skills/` lies above src/ in tests and above dist/src/ in a build. */
export function builtInSkills(): string {
  const places = ['../../skills/', '../../../skills/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return places.find((place) => existsSync(join(place, 'README.md'))) ?? places.join();
}

/** The user's folder as SKILLS_DIR names it; a leading `~/` is the home folder, which no shell has expanded in a settings file. */
export function userSkills(setting: string): string {
  return setting.startsWith('~/') ? join(homedir(), setting.slice(2)) : setting;
}

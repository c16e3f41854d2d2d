import type { SkillEntry, SkillShelf } from '../agent/toolbox.ts';
import { clip } from '../policy/untrusted.ts';
import { findSkillFiles, readBeginning, type SkillFile } from './skill-files.ts';
import { bodyOf, CATALOGUE_CHARACTERS, isSkillName, readHead } from './skill-head.ts';

const BODY_CHARACTERS = 20_000;

type ShelvedSkill = SkillEntry & { readonly path: string };

/** A shelf over folders that are read anew each time: a playbook can be added while Rootnote runs. Of equal names the first folder's wins (SPEC B3). */
export function createSkillShelf(folders: readonly string[]): SkillShelf {
  const list = async (): Promise<readonly ShelvedSkill[]> => {
    const byName = new Map<string, ShelvedSkill>();
    for (const folder of folders) {
      const own = await readFolder(folder);
      for (const skill of own) if (!byName.has(skill.name)) byName.set(skill.name, skill);
    }
    return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  return {
    catalogue: async () => (await list()).map(({ name, description }) => ({ name, description })),
    load: async (name) => {
      if (!isSkillName(name)) return undefined;
      const skill = (await list()).find((one) => one.name === name);
      const text = skill && (await readBeginning(skill.path, BODY_CHARACTERS + 1));
      return text === undefined ? undefined : cutBody(text);
    },
  };
}

async function readFolder(folder: string): Promise<readonly ShelvedSkill[]> {
  const byName = new Map<string, ShelvedSkill>();
  for (const file of await findSkillFiles(folder)) {
    const skill = await readSkill(file);
    if (!byName.has(skill.name)) byName.set(skill.name, skill);
  }
  return [...byName.values()];
}

/** The front matter of a SKILL.md may give another name than its folder's; that of a plain file is its name. */
async function readSkill({ name, path, isFolder }: SkillFile): Promise<ShelvedSkill> {
  const head = readHead((await readBeginning(path, CATALOGUE_CHARACTERS)) ?? '');
  return { name: isFolder ? (head.name ?? name) : name, description: head.description, path };
}

function cutBody(text: string): string {
  if (text.length <= BODY_CHARACTERS) return bodyOf(text);
  return `${bodyOf(clip(text, BODY_CHARACTERS))}\n\n[cut: the file has more than ${BODY_CHARACTERS} characters]`;
}

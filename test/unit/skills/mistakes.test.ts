import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtInSkills } from '../../../src/skills/folders.ts';
import { skillMistakes } from '../../../src/skills/skill-mistakes.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'skills-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

const GOOD = '---\ndescription: Disks that fill up.\n---\n\nLook at the disks.\n';
const told = async () => (await skillMistakes(folder)).map((mistake) => mistake.slice(folder.length + 1));

describe('mistakes in playbooks', () => {
  test.each([
    [
      'bare.md',
      'Look at the disks.',
      'bare.md:1: there is no front matter in the first 4096 characters: begin with a line ---',
    ],
    ['open.md', GOOD.replace('---\n\n', '\n'), 'open.md:1: there is no front matter'],
    ['silent.md', '---\nname: silent\n---\nx', 'silent.md:2: description: is missing: it must be text'],
    ['list.md', '---\ntitle: x\ndescription: [a]\n---\nx', 'list.md:3: description: must be text, not a list'],
    ['yaml.md', '---\ndescription: "open\n---\nx', 'yaml.md:2:19: this is no YAML: Missing closing "quote'],
    [
      'Disk Full.md',
      GOOD,
      'Disk Full.md:1: the name must be lower-case letters, digits and hyphens, at most 64: rename the file',
    ],
  ])('%s is told with file, line and what to write', async (name, text, mistake) => {
    writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, 'good.md'), GOOD);
    writeFileSync(join(folder, 'README.md'), 'Our playbooks.');
    expect(await told()).toEqual([expect.stringContaining(mistake)]);
  });

  test('those of folders are told, too', async () => {
    mkdirSync(join(folder, 'disk'));
    writeFileSync(join(folder, 'disk', 'SKILL.md'), '---\ndescription: ""\n---\nx');
    expect(await told()).toEqual(['disk/SKILL.md:2: description: must not be empty']);
  });

  test('the built-in ones have none, and neither has a folder that is not there', async () => {
    expect(await skillMistakes(builtInSkills())).toEqual([]);
    expect(await skillMistakes(join(folder, 'absent'))).toEqual([]);
  });
});

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createSkillShelf } from '../../../src/skills/skill-shelf.ts';

let base: string;
let own: string;
let builtIn: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'rn-skills-'));
  [own, builtIn] = [join(base, 'own'), join(base, 'built-in')];
  await mkdir(own);
  await mkdir(builtIn);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const skill = (description: string, body = 'body'): string => `---\ndescription: ${description}\n---\n\n${body}\n`;
const shelf = () => createSkillShelf([own, builtIn]);

async function addFolder(name: string, text: string): Promise<void> {
  await mkdir(join(own, name));
  await writeFile(join(own, name, 'SKILL.md'), text);
}

describe('the shelf of playbooks', () => {
  test('B1: front matter needs a description and nothing else; other keys change nothing', async () => {
    await writeFile(join(builtIn, 'disk.md'), '---\ndescription: Disks\nallowed-tools: bash\nrisk: R0\n---\nLook.\n');
    expect(await shelf().catalogue()).toEqual([{ name: 'disk', description: 'Disks' }]);
    expect(await shelf().load('disk')).toBe('Look.');
  });

  test('B1: a folder with SKILL.md is a skill, by its own name or by that of its front matter', async () => {
    await addFolder('plain', skill('Plain'));
    await addFolder('folder', '---\nname: named-inside\ndescription: Named\n---\nbody\n');
    await addFolder('bad-inside', '---\nname: ../../etc\ndescription: Bad\n---\nbody\n');
    expect((await shelf().catalogue()).map(({ name }) => name)).toEqual(['bad-inside', 'named-inside', 'plain']);
    expect(await shelf().load('named-inside')).toBe('body');
    expect(await shelf().load('folder')).toBeUndefined();
  });

  test('B1: the front matter of a plain file cannot take the name of another', async () => {
    await writeFile(join(own, 'mine.md'), '---\nname: disk-full\ndescription: Mine\n---\nmine\n');
    await writeFile(join(builtIn, 'disk-full.md'), skill('Disks', 'built in'));
    expect(await shelf().load('disk-full')).toBe('built in');
  });

  test("B3: the user's file of the same name wins, also a broken one", async () => {
    await writeFile(join(builtIn, 'disk.md'), skill('Built in', 'built in'));
    await writeFile(join(own, 'disk.md'), '---\ndescription: [\n---\nmine\n');
    expect(await shelf().catalogue()).toEqual([
      { name: 'disk', description: 'No description; load it to see what it holds.' },
    ]);
    expect(await shelf().load('disk')).toContain('mine');
  });

  test('B3: a new file is there without a restart; a folder that is not there holds nothing', async () => {
    const both = createSkillShelf([join(base, 'nowhere'), builtIn]);
    expect(await both.catalogue()).toEqual([]);
    await writeFile(join(builtIn, 'late.md'), skill('Late'));
    expect(await both.load('late')).toBe('body');
  });

  test.each([
    ['no front matter', 'just text'],
    ['broken YAML', '---\ndescription: "open\n---\nx'],
    ['a description that is no text', '---\ndescription: {a: 1}\n---\nx'],
    ['front matter that is a list', '---\n- a\n---\nx'],
    ['more aliases than a parser follows', `---\na: &a [x]\nb: [${'*a,'.repeat(400)}]\ndescription: D\n---\nx`],
    ['an empty file', ''],
  ])('B4: %s is listed with a neutral text, and the others are listed', async (_, text) => {
    await writeFile(join(own, 'broken.md'), text);
    await writeFile(join(own, 'good.md'), skill('Good'));
    expect(await shelf().catalogue()).toEqual([
      { name: 'broken', description: 'No description; load it to see what it holds.' },
      { name: 'good', description: 'Good' },
    ]);
  });

  test('B4: the catalogue reads no more than 4,096 characters of a file', async () => {
    const padded = (characters: number) => `---\n#${'x'.repeat(characters)}\ndescription: Late\n---\nbody\n`;
    await writeFile(join(own, 'within.md'), padded(4000));
    await writeFile(join(own, 'beyond.md'), padded(4096));
    const catalogue = await shelf().catalogue();
    expect(catalogue.map(({ description }) => description)).toEqual([
      'No description; load it to see what it holds.',
      'Late',
    ]);
  });

  test('B4: a description is one line without invisible characters, and bounded', async () => {
    await writeFile(join(own, 'long.md'), `---\ndescription: "a\\u202Eb\\n${'c'.repeat(3000)}"\n---\nx`);
    const [entry] = await shelf().catalogue();
    expect(entry?.description).toMatch(/^ab c+…$/);
    expect(entry?.description.length).toBeLessThanOrEqual(1000);
  });

  test('B4: a body of 20,000 characters is whole; one more is cut, and said so', async () => {
    await writeFile(join(own, 'whole.md'), 'é'.repeat(20_000));
    await writeFile(join(own, 'cut.md'), 'é'.repeat(20_001));
    expect(await shelf().load('whole')).toBe('é'.repeat(20_000));
    const cut = await shelf().load('cut');
    expect(cut).toMatch(/\[cut: the file has more than 20000 characters\]$/);
    expect(cut?.match(/é/g)?.length).toBeLessThanOrEqual(20_000);
  });

  test.each([
    '../secret',
    '..',
    '.',
    '',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'Disk',
    'DISK',
    'a.md',
    'a\0',
    'a b',
    '-a',
    'ä',
    'x'.repeat(65),
  ])('B5: the name %j is none, like one that does not exist', async (name) => {
    await writeFile(join(base, 'secret.md'), 'secret');
    await writeFile(join(own, 'disk.md'), skill('Disks'));
    expect(await shelf().load(name)).toBeUndefined();
  });

  test('B5: whatever name is asked for, nothing outside the folders is read', async () => {
    await writeFile(join(base, 'secret.md'), 'secret');
    await writeFile(join(own, 'disk.md'), skill('Disks'));
    const piece = fc.constantFrom('..', '/', '.', 'secret', 'md', '%2e', '\0', 'own', '-', 'disk', '\\');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const body = await shelf().load(pieces.join(''));
        expect(body ?? 'body').toBe('body');
      }),
      { numRuns: 200 },
    );
  });

  test('B5: links that lead out of a folder are not there; links inside it are (mounted ConfigMaps)', async () => {
    await writeFile(join(base, 'secret.md'), skill('Secret', 'secret'));
    await mkdir(join(base, 'outside'));
    await writeFile(join(base, 'outside', 'SKILL.md'), skill('Outside', 'outside'));
    await symlink(join(base, 'secret.md'), join(own, 'file-link.md'));
    await symlink(join(base, 'outside'), join(own, 'folder-link'));
    await mkdir(join(own, '..data'));
    await writeFile(join(own, '..data', 'real.md'), skill('Inside', 'inside'));
    await symlink(join('..data', 'real.md'), join(own, 'mounted.md'));
    expect(await shelf().catalogue()).toEqual([{ name: 'mounted', description: 'Inside' }]);
    expect(await shelf().load('file-link')).toBeUndefined();
    expect(await shelf().load('folder-link')).toBeUndefined();
    expect(await shelf().load('mounted')).toBe('inside');
  });

  test('B5: the folder itself may be a link', async () => {
    await writeFile(join(own, 'disk.md'), skill('Disks'));
    await symlink(own, join(base, 'link'));
    expect(await createSkillShelf([join(base, 'link')]).load('disk')).toBe('body');
  });

  test('folders named like skills, and README, are no skills', async () => {
    await mkdir(join(own, 'folder.md'));
    await writeFile(join(own, 'README.md'), 'how to');
    expect(await shelf().catalogue()).toEqual([]);
  });
});

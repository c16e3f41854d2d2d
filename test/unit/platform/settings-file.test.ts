import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readNamedFile, readSettingsFile } from '../../../src/platform/settings-file.ts';

const schema = z.strictObject({
  pets: z.array(z.strictObject({ name: z.string(), legs: z.number(), likes: z.array(z.string()).optional() })),
});
const read = (text: string) =>
  readSettingsFile(text, 'pets.yaml', { schema, example: '`pets: [{ name: a, legs: 4 }]`' });
const problemsOf = (text: string): readonly string[] => {
  const result = read(text);
  return 'problems' in result ? result.problems.split('\n') : [];
};

describe('a settings file', () => {
  test('is told whole: every mistake in the order of lines, elements by their names or counted from 1', () => {
    const text = `pets:
  - name: rex
    legs: four
    likes: [7, bones]
  - leggs: 4
    name: 12
  - name: tom
    legs: 4
    legs: 5
`;
    expect(problemsOf(text)).toEqual([
      'pets.yaml:3: pets.rex.legs: must be a number, not text',
      'pets.yaml:4: pets.rex.likes.#1: must be text: put it in quotes',
      'pets.yaml:5: pets.#2.legs: is missing: it must be a number',
      'pets.yaml:5: pets.#2.leggs: no such key is known here; did you mean legs?',
      'pets.yaml:6: pets.#2.name: must be text: put it in quotes',
      'pets.yaml:9: this key is there twice: remove one, or put both together',
    ]);
  });

  test.each([
    ['a: b: c', 'pets.yaml:1:4: this is no YAML: Nested mappings are not allowed in compact mappings.'],
    ['pets:\n\t- x', 'pets.yaml:2:1: this is no YAML: Tabs are not allowed as indentation.'],
    ['pets: []\n---\npets: []', 'pets.yaml:2:1: a second document begins here: remove this ---'],
    ['owner: me\npets: *nobody', 'pets.yaml:2: this is no YAML: Unresolved alias'],
    [
      'cron: */5 * * * *',
      'pets.yaml:1:11: this is no YAML: Unexpected alias at node end; text that begins with * stands in',
    ],
    ['pets: [team=~"[ab]"]', "stands in single quotes, as in 'team=~"],
  ])('%j: place and words of the parser', (text, start) => {
    expect(problemsOf(text).join('\n')).toContain(start);
  });

  test('a password that begins with a star is not quoted', () => {
    const said = problemsOf('pets: *hunter2').join('\n');
    expect(said).toContain('text that begins with * stands in quotes');
    expect(said).not.toContain('hunter2');
  });

  test.each(['', '\n', '# nothing yet\n', '---\n'])('%j is empty, and it says what to write', (text) => {
    expect(problemsOf(text)).toEqual([
      'pets.yaml: the file is empty; write for example `pets: [{ name: a, legs: 4 }]`',
    ]);
  });

  test('what is far too much is counted', () => {
    const text = `pets: [${'{ name: a, legs: x }, '.repeat(150)}]`;
    expect(problemsOf(text)).toHaveLength(1);
    const lines = `pets:\n${'  - { name: a, legs: x }\n'.repeat(150)}`;
    expect(problemsOf(lines).at(-1)).toBe('and 50 more mistakes');
  });

  test('its reader finds further mistakes beside those of the schema', () => {
    const inspect = () => [{ path: ['pets', 0], message: 'is no pet' }];
    const result = readSettingsFile('pets:\n  - name: rex\n', 'p', { schema, example: '', inspect });
    expect('problems' in result && result.problems.split('\n')).toEqual([
      'p:2: pets.rex.legs: is missing: it must be a number',
      'p:2: pets.rex: is no pet',
    ]);
  });

  test('that cannot be read says why, in words and without its path', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rootnote-named-'));
    try {
      mkdirSync(join(folder, 'sub'));
      writeFileSync(join(folder, 'large'), 'x'.repeat(300_000));
      expect(() => readNamedFile(join(folder, 'no'))).toThrow(/^is not there$/);
      expect(() => readNamedFile(join(folder, 'large', 'x'))).toThrow(/^is not there: a part of its path is a file$/);
      expect(() => readNamedFile(join(folder, 'sub'))).toThrow(/^is a folder, not a file$/);
      expect(() => readNamedFile(join(folder, 'large'))).toThrow(/^is larger than 262144 bytes$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

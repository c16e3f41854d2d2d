import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownSets, readSets } from '../../../bench/log-sets.ts';

describe('labelled logs', () => {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'log-sets-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test('the own families have one label for every line', () => {
    for (const { raw, content, labels } of ownSets()) {
      expect(labels.map(({ by, ofLines }) => [by, ofLines.length])).toEqual([['own', raw.length]]);
      expect(content).toHaveLength(raw.length);
    }
  });

  test('files are read by the names of their columns, in the order of their own names', () => {
    writeFileSync(join(directory, 'b.tsv'), 'event_id\tcontent\traw\tcorrected_id\r\nE1\tready\tINFO ready\tE2\n');
    writeFileSync(join(directory, 'a.tsv'), 'raw\tcontent\tevent_id\tcorrected_id\n');
    const [empty, one] = readSets(directory);
    expect(empty).toMatchObject({ name: 'a', raw: [] });
    expect(one).toMatchObject({ name: 'b', raw: ['INFO ready'], content: ['ready'] });
    expect(one?.labels).toEqual([
      { by: 'original', ofLines: ['E1'] },
      { by: 'corrected', ofLines: ['E2'] },
    ]);
  });

  test('a column that is missing is named', () => {
    writeFileSync(join(directory, 'c.tsv'), 'raw\tevent_id\tcorrected_id\nx\tE1\tE1\n');
    expect(() => readSets(directory)).toThrow('c.tsv has no column "content"');
  });

  test('a directory that does not exist has no sets', () => {
    expect(readSets(join(directory, 'absent'))).toEqual([]);
  });
});

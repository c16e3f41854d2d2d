import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createCsvReader } from '../../../src/providers/recording/csv.ts';

function read(...pieces: readonly string[]): string[][] {
  const records: string[][] = [];
  const reader = createCsvReader((fields) => records.push(fields));
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return records;
}

const quote = (field: string) => `"${field.replaceAll('"', '""')}"`;
const bare = (field: string) => (/[",\n\r]/.test(field) ? quote(field) : field);
const field = fc.oneof(fc.string(), fc.constantFrom('"', ',', '\n', '\r\n', '', 'a ""b"""'));
const table = fc.array(fc.array(field, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 8 });

describe('CSV', () => {
  test('whatever is written comes back, quoted or not, however the text is cut into pieces', () => {
    fc.assert(
      fc.property(table, fc.boolean(), fc.nat(), (records, quoteAll, cut) => {
        const text = records.map((fields) => fields.map(quoteAll ? quote : bare).join(',')).join('\n');
        const at = cut % (text.length + 1);
        expect(read(text.slice(0, at), text.slice(at))).toEqual(records);
        expect(read(...text.split(''))).toEqual(records);
      }),
    );
  });

  test('arbitrary text is read without an error, each line at most once', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', ',', '\n', 'a', '\r') }), (text) => {
        expect(read(text).length).toBeLessThanOrEqual(text.split('\n').length);
      }),
    );
  });

  test('empty lines are no records', () => {
    expect(read('a,b\n\n\r\nc,d\n')).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  test('a quote that never closes does not make the rest of a large file one field', () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `${i},some text`);
    expect(read(`x,"y\n${lines.join('\n')}\n`).length).toBe(100_001);
  });
});

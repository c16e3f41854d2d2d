import { describe, expect, test } from '@jest/globals';
import { array, assert, constantFrom, integer, oneof, property, string, tuple } from 'fast-check';
import { LineReader } from '../../../../src/funnel/logs/line-skeleton.ts';
import { TemplateMiner } from '../../../../src/funnel/logs/template-miner.ts';
import { FAMILIES, linesOf, type FamilyName } from '../../../../bench/log-families.ts';

const FAMILY_LINES = (Object.keys(FAMILIES) as FamilyName[]).flatMap((name) =>
  linesOf(name, 200, 3).map(({ line }) => line),
);

/** Pieces that the readers have rules for, put together at random. */
const piece = constantFrom(
  '2026-03-04T10:11:12Z',
  '12:30:45',
  '1772619072',
  '[main]',
  'INFO',
  '[error]',
  'a.b.Name:',
  'host1',
  'app[3]:',
  'user=',
  'k="v w"',
  '"GET /v1/a/2 HTTP/1.1" 200 ',
  '0/0/1/2/3',
  '{"msg":"a 1"}',
  '{"a1":2}',
  '\\u0041',
  '{x=1, y=2}',
  '10.0.0.7:80',
  '/var/log/a',
  'true',
  'ms',
  'Mon',
  'deadbeef',
  '\u001b[31m',
  'é',
  '\ud800',
  '\u0000',
  '|',
  '- ',
  ': ',
);
const line = oneof(
  array(piece, { maxLength: 8 }).map((pieces) => pieces.join(' ')),
  array(oneof(piece, string({ unit: 'binary', maxLength: 6 })), { maxLength: 8 }).map((pieces) => pieces.join('')),
  constantFrom(...FAMILY_LINES),
);
const lines = array(line, { maxLength: 60 });

function skeletonOf(text: string): string {
  const reader = new LineReader();
  reader.read(text);
  return reader.skeleton.toString();
}

function mine(texts: readonly string[]): { readonly groups: readonly number[]; readonly templates: readonly string[] } {
  const miner = new TemplateMiner();
  const ids = texts.map((text) => miner.add(text));
  miner.finish();
  const groups = ids.map((id) => miner.group(id));
  return { groups, templates: groups.map((group) => miner.template(group)) };
}

/** The same text with other digits in the places of its digits. */
function withOtherDigits(text: string, shift: number): string {
  let i = 0;
  return text.replaceAll(/\d/g, (digit) => String((Number(digit) + shift * ++i) % 10));
}

describe('log templates', () => {
  test('a line has the same skeleton whatever was read before it', () => {
    assert(
      property(lines, (texts) => {
        const reader = new LineReader();
        for (const text of texts) {
          reader.read(text);
          expect(reader.skeleton.toString()).toBe(skeletonOf(text));
        }
      }),
    );
  });

  test('lines that differ in digits alone are one skeleton only if reading both says so', () => {
    assert(
      property(lines, integer({ min: 1, max: 9 }), (texts, shift) => {
        const all = texts.flatMap((text) => [text, withOtherDigits(text, shift)]);
        const miner = new TemplateMiner();
        const skeletonById = new Map<number, string>();
        for (const text of all) {
          const id = miner.add(text);
          const skeleton = skeletonOf(text);
          expect(skeletonById.get(id) ?? skeleton).toBe(skeleton);
          skeletonById.set(id, skeleton);
        }
        expect(new Set(skeletonById.values()).size).toBe(skeletonById.size);
      }),
      { numRuns: 300 },
    );
  });

  test('the groups do not depend on the order of lines', () => {
    const shuffled = tuple(lines, array(integer(), { minLength: 60, maxLength: 60 }));
    assert(
      property(shuffled, ([texts, keys]) => {
        const order = texts.map((_, i) => i).toSorted((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
        const { templates } = mine(texts);
        const other = mine(order.map((i) => texts[i] ?? ''));
        expect(other.templates).toEqual(order.map((i) => templates[i]));
      }),
    );
  });

  test('every line matches its template: what is constant stands in it in this order', () => {
    const { templates } = mine(FAMILY_LINES);
    FAMILY_LINES.forEach((text, i) => {
      const constant = (templates[i] ?? '')
        .split(/<\*>|[^A-Za-z]+/)
        .filter((word) => word !== 'xx' && word !== 'status');
      let at = 0;
      for (const word of constant) {
        const found = text.indexOf(word, at);
        expect([text, word, found >= 0]).toEqual([text, word, true]);
        at = found + word.length;
      }
    });
  });

  test('counts add up beyond the limit, and memory of what varies stays small', () => {
    const letters = 'ghijklmnopqrstuvwxyz';
    const word = (n: number) => [1, 20, 400].map((base) => letters[Math.floor(n / base) % 20]).join('');
    const miner = new TemplateMiner({ maxLive: 128 });
    const ids = Array.from({ length: 4000 }, (_, n) =>
      miner.add(`service ${word(n)} handled the request of ${word(n * 7)}`),
    );
    miner.finish();
    const groups = new Set(ids.map((id) => miner.group(id)));
    expect([...groups].map((group) => miner.template(group))).toContain('service <*> handled the request of <*>');
    expect(groups.size).toBeLessThan(8);
  });

  test.each([
    ['a megabyte of one word', 'a'.repeat(1_000_000)],
    ['a megabyte of words', 'word '.repeat(200_000)],
    ['a megabyte of JSON', JSON.stringify({ data: 'x'.repeat(1_000_000), msg: 'late' })],
    ['zero bytes', '\u0000'.repeat(3000)],
    ['half characters', '\ud83d'.repeat(3000)],
    ['unclosed colours', '\u001b['.repeat(3000)],
    ['the sign for a wildcard', '\ue000 a \ue000'],
    ['nothing', ''],
  ])('%s has a group', (_, text) => {
    expect(mine([text, text]).groups).toHaveLength(2);
    expect(new Set(mine([text, text]).groups).size).toBe(1);
  });

  test('colours change nothing', () => {
    const plain = '2026-03-04 10:11:12 ERROR db.Pool: no connection for alice';
    const coloured = plain.replace('ERROR', '\u001b[1;31mERROR\u001b[0m').replace('alice', '\u001b[4malice\u001b[24m');
    expect(skeletonOf(coloured)).toBe(skeletonOf(plain));
  });
});

import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseInWords } from '../../../src/policy/explain-issues.ts';

const told = (schema: z.ZodType, value: unknown): readonly string[] => {
  const read = parseInWords(schema, value);
  return 'data' in read ? [] : read.mistakes.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
};

const Pet = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cat'), lives: z.number().int().min(1).max(9) }),
  z.strictObject({ kind: z.literal('dog'), tricks: z.array(z.string()).min(1) }),
]);
const Food = z.union([z.literal('none'), z.strictObject({ grams: z.number() })], { error: 'must be none or {grams}' });

describe('what zod finds is told in words, and no value is shown', () => {
  test.each<[string, z.ZodType, unknown, readonly string[]]>([
    ['a value that is missing', z.object({ a: z.string() }), {}, ['a: is missing: it must be text']],
    ['one that was left empty', z.object({ a: z.array(z.string()) }), { a: null }, ['a: has no value: it must be a list']],
    ['a number for a text', z.object({ a: z.string() }), { a: 7 }, ['a: must be text: put it in quotes']],
    ['a list for a map', z.object({ a: z.object({}) }), { a: [] }, ['a: must be a map of keys and values, not a list']],
    ['text for true or false', z.boolean(), 'sure', [': must be true or false, not text']],
    ['a word of a set', z.enum(['hex', 'base64']), 'Base64', [': must be hex or base64; did you mean base64?']],
    ['a word of none', z.enum(['a1', 'b2', 'c3']), 'secret-word', [': must be a1, b2 or c3']],
    ['too short', z.string().min(3), 'ab', [': must have at least 3 characters']],
    ['empty', z.string().min(1), '', [': must not be empty']],
    ['too many', z.array(z.number()).max(2), [1, 2, 3], [': must have at most 2 entries']],
    ['too large', z.number().max(9), 10, [': must be at most 9']],
    ['no address', z.email(), 'x', [': must be an e-mail address']],
    ['a key of another name', z.record(z.string().regex(/^[a-z]+$/, 'must be small letters'), z.number()), { A: 1 }, ['A: must be small letters']],
  ])('%s', (_what, schema, value, expected) => {
    expect(told(schema, value)).toEqual(expected);
  }); // prettier-ignore

  test('each key that nobody knows by itself, with the one that was meant', () => {
    const schema = z.strictObject({ matchers: z.string(), continue: z.boolean().optional() });
    expect(told(schema, { matchers: 'x', contine: true, zzz: 1 })).toEqual([
      'contine: no such key is known here; did you mean continue?',
      'zzz: no such key is known here; known are matchers, continue',
    ]);
  });

  test('of alternatives by a key: the key, or what is wrong in the one that was chosen', () => {
    expect(told(Pet, {})).toEqual(['kind: is missing: it must be cat or dog']);
    expect(told(Pet, { kind: 'doog' })).toEqual(['kind: must be cat or dog; did you mean dog?']);
    expect(told(Pet, { kind: 'cat', lives: 10, tail: 1 })).toEqual([
      'lives: must be at most 9',
      'tail: no such key is known here; known are kind, lives',
    ]);
  });

  test('of other alternatives: what is wrong in the one that was meant, else what there is', () => {
    expect(told(z.object({ food: Food }), { food: { gramms: 3 } })).toEqual([
      'food.grams: is missing: it must be a number',
      'food.gramms: no such key is known here; did you mean grams?',
    ]);
    expect(told(Food, 'some')).toEqual([': must be none or {grams}']);
  });

  test('what the schema says itself goes before', () => {
    expect(told(z.string('must be a name'), 7)).toEqual([': must be a name']);
  });
});

import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { drawFrom, isLeaked, lookAlikes, secretTexts } from '../../../bench/secret-texts.ts';
import { createRedactor } from '../../../src/policy/redact.ts';
import { redactionTexts } from '../../support/redaction-texts.ts';

const redactor = createRedactor({ secrets: [], key: 'k' });
const samples = secretTexts(3, 3);
const families = [...new Set(samples.map(({ family }) => family))];
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

describe('secrets of every family are masked, and redacting again changes nothing', () => {
  test.each(families)('%s', (family) => {
    for (const { text, secret } of samples.filter((sample) => sample.family === family)) {
      const once = redactor.redact(text);
      expect(isLeaked(once, secret)).toBe(false);
      expect(redactor.redact(once)).toBe(once);
    }
  });

  test.each(families)('inside a JSON log line, and inside JSON in that: %s', (family) => {
    for (const { text, secret } of samples.filter((sample) => sample.family === family)) {
      const line = redactor.redact(JSON.stringify({ time: '2026-11-30T02:00:00Z', level: 'warn', msg: text }));
      expect(JSON.parse(line)).toMatchObject({ time: '2026-11-30T02:00:00Z', level: 'warn' });
      expect(isLeaked(line, escaped(secret))).toBe(false);
      const nested = redactor.redact(JSON.stringify({ log: JSON.stringify({ msg: text, n: 1 }) }));
      const { log } = JSON.parse(nested) as { log: string };
      expect(JSON.parse(log)).toMatchObject({ n: 1 });
      expect(isLeaked(nested, escaped(escaped(secret)))).toBe(false);
    }
  });

  test('in the middle of a long log, with the lines around it untouched', () => {
    const before = '10:00:00 INFO order 4711 created\n'.repeat(4000);
    for (const { text, secret } of secretTexts(5, 1)) {
      const out = redactor.redact(`${before}${text}\n${before}`);
      expect(isLeaked(out, secret)).toBe(false);
      expect(out.startsWith(before)).toBe(true);
    }
  });
});

describe('evidence that looks like a secret stays', () => {
  test.each(lookAlikes(3))('%j', (text) => {
    expect(redactor.redact(text)).toBe(text);
    const line = JSON.stringify({ level: 'info', msg: text });
    expect(redactor.redact(line)).toBe(line);
    const nested = JSON.stringify({ log: line });
    expect(redactor.redact(nested)).toBe(nested);
  });
});

describe('ordinary ways to write a secret: masked, plain and inside JSON', () => {
  test.each(redactionTexts('secrets.txt', 21).map(({ template, ...rest }) => [template, rest] as const))(
    '%s',
    (_template, { text, secrets }) => {
      const line = JSON.stringify({ level: 'info', msg: text });
      for (const [whole, write] of [[text, String] as const, [line, escaped] as const]) {
        const once = redactor.redact(whole);
        expect(secrets.filter((secret) => isLeaked(once, write(secret)))).toEqual([]);
        expect(redactor.redact(once)).toBe(once);
      }
    },
  );
});

describe('names of Secrets, messages, metrics, keys of stores: evidence, and untouched', () => {
  test.each(redactionTexts('look-alikes.txt', 22).map(({ template, text }) => [template, text] as const))(
    '%s',
    (_template, text) => {
      expect(redactor.redact(text)).toBe(text);
      const line = JSON.stringify({ level: 'info', msg: text });
      expect(redactor.redact(line)).toBe(line);
    },
  );
});

test('no type of a placeholder repeats eight characters of what it stands for', () => {
  for (const { text, secret } of samples) {
    for (const { type } of redactor.find(text).found) expect(isLeaked(type, secret)).toBe(false);
  }
});

test('documents of secrets, look-alikes and stray quotes stay JSON with the same keys', () => {
  const pieces = [...samples.map(({ text }) => text), ...lookAlikes(4)];
  const stray = fc.constantFrom(
    '"',
    "'",
    '`',
    '\\',
    '\n',
    '<',
    '>',
    '{',
    '}',
    '=',
    ':',
    '@',
    '://',
    'password',
    "password='",
    'Bearer ',
    '\x91000000\x92',
  );
  const cut = fc
    .tuple(fc.constantFrom(...pieces), fc.nat(60), fc.nat(80))
    .map(([text, start, length]) => text.slice(start, start + length));
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), cut, stray), { maxLength: 5 })
    .map((list) => list.join(''));
  const key = fc.constantFrom(
    'msg',
    'password',
    'value',
    'name',
    'token',
    'data',
    'kind',
    'authorization',
    'cookie',
    'kty',
    'd',
  );
  const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
  const tree = fc.dictionary(
    key,
    fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(key, leaf, { maxKeys: 3 })),
    { maxKeys: 4 },
  );
  fc.assert(
    fc.property(tree, fc.constantFrom(0, 2), fc.nat(2), (value, indent, depth) => {
      let document = JSON.stringify(value, null, indent);
      for (let level = 0; level < depth; level++) document = JSON.stringify({ msg: document });
      let out: unknown = JSON.parse(redactor.redact(document));
      for (let level = 0; level < depth; level++) out = JSON.parse((out as { msg: string }).msg);
      expect(keysOf(out)).toEqual(keysOf(value));
    }),
    { numRuns: 600 },
  );
});

test('redacting again changes nothing, however JSON and prose stand inside each other', () => {
  const pieces = [...samples, ...redactionTexts('secrets.txt', 23)].map(({ text }) => text);
  const stray = fc.constantFrom('"', "'", '\\', '\n', ' ', ': ', '=', ', ', 'password', 'password: ', '{"a":"', '}', '\\"'); // prettier-ignore
  const { text } = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(...pieces),
      fc.array(fc.oneof(tie('text'), stray), { minLength: 1, maxLength: 4 }).map((list) => list.join('')),
      tie('text').map((inner) => `got ${JSON.stringify({ msg: inner, n: 1 })} from peer`),
      fc
        .tuple(fc.constantFrom('msg', 'password', 'value', 'token', 'data'), tie('text'))
        .map(([key, inner]) => JSON.stringify({ [key]: inner })),
    ),
  }));
  fc.assert(
    fc.property(text, (whole) => {
      const once = redactor.redact(whole);
      expect(redactor.redact(once)).toBe(once);
    }),
    { numRuns: 400, seed: 17 },
  );
});

function keysOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keysOf);
  if (value === null || typeof value !== 'object') return 0;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, keysOf(item)]));
}

test('a sentence about a password is evidence, a passphrase is not', () => {
  const { word } = drawFrom(9);
  const phrase = [word(), word(), word(), word()].join(' ');
  const errors = JSON.stringify({ errors: { password: 'must be at least 12 characters long' } });
  expect(redactor.redact(errors)).toBe(errors);
  expect(redactor.redact(JSON.stringify({ passphrase: phrase }))).not.toContain(phrase);
});

import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { lookAlikes, secretTexts } from '../../../bench/secret-texts.ts';
import { createRedactor } from '../../../src/policy/redact.ts';
import { quickLook } from '../../../src/policy/redaction/quick-look.ts';

const { redact, mayChange, mayChangeAny } = createRedactor({ secrets: [], key: 'k' });
const texts = secretTexts(11, 4);

/** A pattern of the kinds that rules use, made of a few characters so that random texts hit it. */
const patterns = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      '-',
      '\\.',
      '\\d',
      '\\w',
      '\\s',
      '[ab]',
      '[^a-]',
      '.',
      '😀',
      'ñ',
      '…',
      '\\x61',
      '\\u0062',
    ),
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
  pattern: fc
    .array(
      fc
        .tuple(tie('atom'), fc.constantFrom('', '', '?', '+', '*', '{2}', '{1,3}', '{2,}', '*?'))
        .map(([a, q]) => a + q),
      { minLength: 1, maxLength: 4 },
    )
    .chain((parts) =>
      fc.constantFrom(parts.join(''), `${parts.join('')}|b-`, `^${parts.join('')}`, `${parts.join('')}(?=a)`),
    ),
}));
const letters = fc.array(
  fc.constantFrom('a', 'b', 'A', 'B', '-', '.', '1', ' ', '\n', 'ñ', 'Ñ', '…', 'x', '漢', '😀', '\u00a0'),
  {
    maxLength: 12,
  },
);

describe('the quick look', () => {
  test('never says no where one of the patterns matches', () => {
    fc.assert(
      fc.property(
        patterns.pattern,
        fc.constantFrom('', 'i'),
        fc.array(letters, { maxLength: 20 }),
        (source, flags, all) => {
          const pattern = new RegExp(source, flags);
          const look = quickLook([pattern]);
          for (const text of all.map((parts) => parts.join(''))) if (pattern.test(text)) expect(look(text)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('never says no to several texts below each other where one of the patterns matches one of them', () => {
    fc.assert(
      fc.property(
        patterns.pattern,
        fc.constantFrom('', '$', '(?:[.]|$)', '(?=-|$)'),
        fc.array(letters, { minLength: 1, maxLength: 6 }),
        (source, end, all) => {
          const pattern = new RegExp(`(?:${source})${end}`);
          const below = all.map((parts) => parts.join(''));
          if (below.some((text) => pattern.test(text))) expect(quickLook([pattern])(below.join('\n'))).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('finds in a long text what stands anywhere in it, over the borders of its parts too, and nothing else', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 7, maxLength: 40 });
    const filler = fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 0, maxLength: 700 });
    fc.assert(
      fc.property(
        word,
        filler,
        filler,
        fc.constantFrom('', ' ', 'ñ', '\n'),
        fc.boolean(),
        (sought, a, b, end, isIn) => {
          const text = `${a}${isIn ? sought : ''}${b}${end}`;
          expect(quickLook([new RegExp(sought)])(text)).toBe(text.includes(sought));
          expect(quickLook([new RegExp(`^${sought}`)])(text)).toBe(
            text.startsWith(sought) || text.includes(`\n${sought}`),
          );
          expect(quickLook([new RegExp(`${sought}$`)])(text)).toBe(
            text.endsWith(sought) || text.includes(`${sought}\n`),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('says no to what holds none of the patterns, and looks ahead, behind and at borders for nothing', () => {
    const look = quickLook([/(?:^|[^a-z])key(?=[:=])/i, /\.[\w-]{6}\.[\w-]{27}/, /(?<=x)\bq{3,9}$/]);
    expect(['a key', 'monkey=1', 'www.domain.example', 'qq', '', 'KEY'].map(look)).toEqual(Array(6).fill(false));
    expect(['key=1', 'a KEY:', 'qqq', `.abcdef.${'w'.repeat(27)}`].map(look)).toEqual(Array(4).fill(true));
  });

  test('a text that needs more states than are kept counts as one that may match, and does not stay in memory', () => {
    const look = quickLook([/a[ab]{24}c{30}/]);
    const mixed = Array.from({ length: 20_000 }, (_, n) =>
      'ab'.charAt(((n * n) ^ (n >> 3)) & 1 ? 0 : (n * 7919) % 2),
    ).join('');
    const random = fc
      .sample(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 400, maxLength: 400 }), 200)
      .join('');
    expect(look('b'.repeat(5000))).toBe(false);
    expect(look(mixed + random)).toBe(true);
    // No match of the pattern, and no state of it is known or can be made. Later there is room again.
    const other = `${'a'.repeat(30)}cab`;
    expect(look(other)).toBe(true);
    const later = Array.from({ length: 20_000 }, () => look(other));
    expect(later.at(-1)).toBe(false);
    expect(look(`${'a'.repeat(25)}${'c'.repeat(30)}`)).toBe(true);
  });
});

describe('the look for the process’s own secrets', () => {
  test('finds each of them in every form, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 8, maxLength: 24 }), { minLength: 1, maxLength: 3 }),
        (secrets) => {
          const { mayChange: mayHold, redact: mask } = createRedactor({ secrets, key: 'k' });
          for (const secret of secrets) {
            for (const form of [
              secret,
              JSON.stringify(secret),
              encodeURIComponent(secret),
              Buffer.from(secret).toString('base64'),
            ]) {
              const text = `said ${form} aloud`;
              if (mask(text) !== text) expect(mayHold(text)).toBe(true);
            }
          }
        },
      ),
      // Each makes a redactor of its own.
      { numRuns: 60 },
    );
    expect(createRedactor({ secrets: ['a.c(d)|e+'], key: 'k' }).mayChange('abc(d)|e+ or aXc')).toBe(false);
    expect(createRedactor({ secrets: ['a.c(d)|e+'], key: 'k' }).mayChange('so: a.c(d)|e+')).toBe(true);
  });
});

describe('what admission lets through unseen', () => {
  // Before all those that need more states than are kept.
  test('an ordinary alert needs no closer look', () => {
    const alert = {
      labels: {
        alertname: 'DiskFull',
        instance: '10.2.0.1:9100',
        severity: 'warning',
        namespace: 'shop',
        pod: 'db-7d4f9c-x2',
      },
      annotations: {
        summary: 'disk of db-7d4f9c-x2 is 93 % full',
        runbook_url: 'https://runbooks.example.net/disk-full',
      },
      generatorUrl: 'http://prometheus.example.net:9090/graph?g0.expr=disk_used%2Fdisk_size+%3E+0.9&g0.tab=1',
    };
    expect(mayChange(JSON.stringify(alert))).toBe(false);
    expect(mayChange(JSON.stringify({ ...alert, labels: { password: 'x' } }))).toBe(true);
  });

  test('holds nothing that redaction would change: planted secrets, in every place of an alert', () => {
    const places = [
      (text: string) => text,
      (text: string) => JSON.stringify({ labels: { alertname: 'Disk', note: text }, annotations: {} }),
      (text: string) => JSON.stringify({ labels: { alertname: 'Disk' }, annotations: { summary: `seen: ${text}` } }),
      (text: string) => JSON.stringify({ labels: {}, generatorUrl: `https://x.example/graph?${text}` }),
    ];
    expect(texts.length).toBeGreaterThan(200);
    for (const { text } of texts) {
      for (const place of places) {
        const placed = place(text);
        if (!mayChange(placed)) expect(redactByRules(placed)).toBe(placed);
      }
    }
  });

  test('… and cut, joined and wrapped at any place', () => {
    const pool = [...texts.map(({ text }) => text), ...lookAlikes(5)];
    const piece = fc
      .tuple(fc.constantFrom(...pool), fc.nat(60), fc.nat(200))
      .map(([text, from, size]) => text.slice(from, from + size));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string(), fc.constantFrom('"', ' ', '\n', '=')), { maxLength: 5 }),
        (parts) => {
          const text = parts.join('');
          for (const placed of [text, JSON.stringify({ labels: { a: text } })])
            if (!mayChange(placed)) expect(redactByRules(placed)).toBe(placed);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('a look at several texts at once lets none through that a look at each would stop', () => {
    const hidden = ['\u001b]', '\u0007', '\u200b', '\u001b\\', '\\', '\\u00', '\\"', '"', '\n', 'ñ'];
    const piece = fc
      .tuple(fc.constantFrom(...texts.map(({ text }) => text)), fc.nat(60), fc.nat(200))
      .map(([text, from, size]) => text.slice(from, from + size));
    const text = fc.array(fc.oneof(piece, fc.string(), fc.constantFrom(...hidden)), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (all) => {
        const raw = all.map((parts) => parts.join(''));
        for (const placed of [raw, raw.map((one) => JSON.stringify({ a: one })), [...raw, JSON.stringify(raw)]])
          if (!mayChangeAny(placed)) expect(placed.filter(mayChange)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
    expect(mayChangeAny(['a', '\u001b]b', 'pass\u200bword=x', '\u0007'])).toBe(true);
    expect(mayChangeAny(['a', 'disk is full', '{"b":"\\u001b]"}'])).toBe(false);
  });
});

/** All the rules, as if the prefilter had said yes: a sign in a line of its own changes nothing in the other one. */
function redactByRules(text: string): string {
  return redact(`key <\n${text}`).slice('key <\n'.length);
}

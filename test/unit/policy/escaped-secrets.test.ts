import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { secretTexts } from '../../../bench/secret-texts.ts';
import { createRedactor } from '../../../src/policy/redact.ts';
import { hidesAnything, sanitize } from '../../../src/policy/untrusted.ts';

const KNOWN = ['pa"ss\\wörd!9', 'tab\tsec+ret/9', 'p@$^w(o)r{d}|?*'];
/** A rule that hits nothing: with rules of the operator no text is let through unseen. */
const IDLE = { type: 'idle', pattern: /(?!)/g };
const quick = createRedactor({ secrets: KNOWN, key: 'k' });
const whole = createRedactor({ secrets: KNOWN, key: 'k', rules: [IDLE] });

const inAlert = (text: string): string => JSON.stringify({ labels: { alertname: 'Disk', note: text } });
/** As programs write JSON that keep to ASCII, or may be put into a page. */
const toAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff<>&='/]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const line = (start: string): string => `${start}abCD3/+efGHijKLmnOPqrSTuvWXyz0123456789`.padEnd(64, 'Zq');

const MISSED_ONCE: readonly (readonly [what: string, text: string])[] = [
  ['lines from the middle of a key', inAlert(`${line('a')}\n${line('b')}\n`)],
  [
    '… whose slashes are escaped',
    inAlert(JSON.stringify({ m: `${line('a')}\n${line('b')}\n` }).replaceAll('/', '\\/')),
  ],
  ['an option after a tab', inAlert('curl\t-u\tbob:hunter22x')],
  ['an option at the beginning of a line', inAlert('run\n-u bob:Hunter22x now')],
  ['a name that is written in escapes', inAlert('{"m":"\\u0070assword=hunter22x"}')],
  ['a word of another script, as ASCII', inAlert(toAscii(JSON.stringify({ m: 'пароль: hunter2!x' })))],
  ['a known secret two levels down', inAlert(JSON.stringify({ log: JSON.stringify({ m: `x ${KNOWN[0]} y` }) }))],
  ['a known secret as ASCII', inAlert(toAscii(JSON.stringify({ m: KNOWN[0] })))],
  ['a column', 'name,pw,role\nbob,hunter2xx!,db'],
  ['a column that may hold a secret', 'id,salt,n\n1,Xk29dkLQ02mzPP3,3'],
  ['a column, in an alert', inAlert('name,pw,role\nbob,hunter2xx!,db')],
  ['a name behind its value', 'value=Hunter22xx name=dbpw'],
  ['a word with the other form of a letter', 'κωδικόσ: geheim77!'],
  ['the address of a hook', `https://alert.victorops.com/integrations/generic/2013/alert/${'a1b2'.repeat(5)}/x`],
  ['a parameter', `response=${'a1B2c3D4e5'.repeat(3)}`],
];

describe('a text is let through unseen only when no rule would change it', () => {
  test.each(MISSED_ONCE)('%s', (_what, text) => {
    const expected = whole.redact(text);
    expect(expected).not.toBe(text);
    expect(quick.mayChange(text)).toBe(true);
    expect(quick.redact(text)).toBe(expected);
  });

  test('in JSON in JSON, however it is escaped and whatever stands for a blank', () => {
    const wraps: readonly ((text: string) => string)[] = [
      (text) => JSON.stringify({ m: text }),
      (text) => JSON.stringify({ m: text.replaceAll(' ', '\t') }),
      (text) => JSON.stringify([text.replaceAll(' ', '\n')]),
      (text) => toAscii(JSON.stringify({ m: text })),
      (text) => JSON.stringify({ [text]: 1 }),
      (text) => `seen ${text}`,
    ];
    const texts = fc.constantFrom(...secretTexts(23, 2).map(({ text }) => text), ...KNOWN);
    fc.assert(
      fc.property(texts, fc.array(fc.constantFrom(...wraps), { maxLength: 4 }), (secret, levels) => {
        const text = levels.reduce((inner, wrap) => wrap(inner), secret);
        const expected = whole.redact(text);
        expect(quick.redact(text)).toBe(expected);
        if (expected !== text) expect(quick.mayChange(text)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

test.each([
  [
    'RFC 3986',
    (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`),
  ],
  ['digits in small letters', (text: string) => encodeURIComponent(text).replace(/%../g, (c) => c.toLowerCase())],
  ['a path', (text: string) => encodeURIComponent(text).replaceAll('%2F', '/')],
  ['a form', (text: string) => String(new URLSearchParams({ a: text })).slice(2)],
  ['HTML', (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#39;')],
])('a known secret is known as %s writes it', (_what, write) => {
  const secret = "a/b c!(d)'e*&<f>=9~";
  const redactor = createRedactor({ secrets: [secret], key: 'k' });
  for (const text of [`at ${write(secret)}.`, inAlert(`at ${write(secret)}.`)]) {
    expect(redactor.redact(text)).toContain('at [REDACTED:known-secret:');
    expect(redactor.mayChange(text)).toBe(true);
  }
});

describe('what only comes together when the invisible is taken away', () => {
  const hidden = ['\u200b', '\u00ad', '\u2060', '\u001b[1m', '\ufe0f', '\u202e'];
  const token = ['AK', 'IA', 'Q3EGP4TZ7K2LMN5R'].join('');

  test.each(hidden)('is masked: %j', (character) => {
    const split = (text: string) => `${text.slice(0, 6)}${character}${text.slice(6)}`;
    for (const secret of [token, 'password=Hunter22xx', KNOWN[2] ?? '']) {
      for (const text of [split(secret), inAlert(split(secret)), toAscii(inAlert(split(secret)))]) {
        expect(sanitize(quick.redact(text)).replaceAll('\\u001b[1m', '')).not.toContain(secret.slice(-9));
        expect(quick.mayChange(text)).toBe(true);
      }
    }
  });

  test('the invisible stays where there is no secret', () => {
    expect(quick.redact('a\u200bb <c> \u2060d')).toBe('a\u200bb <c> \u2060d');
  });

  test('one look tells whether there is anything invisible', () => {
    for (let code = 0; code < 0x1_0000; code++) {
      const character = String.fromCharCode(code);
      expect([code, hidesAnything(`a${character}b`)]).toEqual([code, sanitize(`a${character}b`) !== `a${character}b`]);
    }
    expect(hidesAnything('a\u{e0049}b')).toBe(true);
    expect(hidesAnything('a😀b')).toBe(false);
  });

  test('takes no longer the deeper it is hidden', () => {
    const nest = (depth: number) =>
      Array.from({ length: depth }).reduce<string>((inner) => JSON.stringify({ m: `\u001b\u200b x ${inner}` }), 'password=Hunter22xx ' + 'word '.repeat(2000)); // prettier-ignore
    const cpuMs = (text: string) => {
      const before = process.cpuUsage();
      for (let round = 0; round < 3; round++) quick.redact(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    cpuMs(nest(1));
    expect([0, 1, 2].some(() => cpuMs(nest(6)) < 25 * cpuMs(nest(1)) + 20)).toBe(true);
  });
});

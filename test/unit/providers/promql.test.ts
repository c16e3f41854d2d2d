import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  escapeRegex,
  fillTemplate,
  stringLiteral,
  withoutThreshold,
} from '../../../src/providers/prometheus/promql.ts';

/** Cuts PromQL into strings and the rest, by the rules of its lexer. */
function outsideStrings(promql: string): string {
  return promql.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
}

describe('filling a template', () => {
  const template = 'up{a="{{x}}", b=~"{{x}}-.*", {{scope}} }';

  test('escapes for strings, and for regular expressions after =~', () => {
    expect(fillTemplate(template, { x: 'a.b"c\\' }, { scope: 'n="s"' })).toBe(
      String.raw`up{a="a.b\"c\\", b=~"a\\.b\"c\\\\-.*", n="s" }`,
    );
  });

  test('no label value whatever changes anything outside the strings', () => {
    const harmless = outsideStrings(fillTemplate(template, { x: 'y' }, { scope: '' }) ?? '');
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (x) => {
        const filled = fillTemplate(template, { x }, { scope: '' }) ?? '';
        expect(filled).not.toContain('\n');
        expect(outsideStrings(filled)).toBe(harmless);
      }),
    );
  });

  test('a value that looks like a placeholder stays a value', () => {
    expect(fillTemplate('up{a="{{x}}"}', { x: '{{y}}', y: 'no' }, {})).toBe('up{a="{{y}}"}');
  });

  test('is undefined when the alert lacks a label', () => {
    expect(fillTemplate(template, {}, { scope: '' })).toBeUndefined();
  });

  test('an escaped regular expression matches its text alone', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(new RegExp(`^${escapeRegex(text)}$`).test(text)).toBe(true)));
  });

  test('a lone surrogate, which Go refuses, becomes the replacement character', () => {
    expect(stringLiteral('a\ud800b')).toBe('"a\ufffdb"');
  });
});

describe("the alert's expression without its threshold", () => {
  test.each([
    ['x > 5', 'x'],
    ['up == 0', 'up'],
    ['5 < x', 'x'],
    ['(rate(a[5m]) / rate(b[5m])) >= bool 0.05', 'rate(a[5m]) / rate(b[5m])'],
    ['((x > 1e3))', 'x'],
    ['sum by (a) (x{b="> 5"}) > .5', 'sum by (a) (x{b="> 5"})'],
    ['a / b != -1', 'a / b'],
  ])('%s → %s', (expression, expected) => expect(withoutThreshold(expression)).toBe(expected));

  test.each([
    'x',
    'x > y',
    'x > 5 and y > 1',
    'x > 5 OR y',
    'a > b > 5',
    'x > 5 # comment',
    'x{a="}',
    'absent(up)',
    '(a) + (b)',
    '> 5',
    'sum(x > 5)',
    '',
  ])('%s is left as it is, since it is not certain', (expression) =>
    expect(withoutThreshold(expression)).toBe(expression),
  );
});

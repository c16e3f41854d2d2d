import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { codeSpan, escapeMarkdown, markdown } from '../../../src/destinations/github/markdown.ts';
import { escapeWiki, wiki } from '../../../src/destinations/jira/wiki.ts';
import { plainText, unlinked } from '../../../src/destinations/pagerduty/plain.ts';
import { fitOutline } from '../../../src/destinations/fit-outline.ts';
import type { Outline, Span } from '../../../src/destinations/outline.ts';
import { outlineOf } from '../../../src/destinations/report-outline.ts';
import { writeOutline } from '../../../src/destinations/write-outline.ts';
import { seeMarkdown } from '../../support/github/see.ts';
import { seeWiki } from '../../support/jira/wiki.ts';
import { reportContent } from '../../support/delivery-content.ts';
import { HOSTILE, hostile, huge, minimal } from '../../support/ticket-reports.ts';

/** One line of words, of which many are what markup is made of. */
const piece = fc.oneof(
  fc.constantFrom(...HOSTILE.split(' ')),
  fc.constantFrom(
    '`',
    '``',
    '\\',
    '\\`',
    '*',
    '_',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '!',
    '#',
    '@',
    '|',
    '{',
    '}',
    '-',
    '&#64;',
    '1.',
    '```',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const line = fc
  .array(piece, { maxLength: 12 })
  .chain((pieces) => fc.constantFrom(' ', '').map((gap) => pieces.join(gap)))
  // What an outline holds: one line, no control characters, whole characters.
  .map((text) => text.replace(/[\p{C}\s]+/gu, ' ').trim());

describe('data in GitHub’s Markdown', () => {
  test('is read as it was written, and does nothing', () => {
    fc.assert(
      fc.property(line, (text) => {
        // In a paragraph and in a list, as reports hold it.
        for (const body of [escapeMarkdown(text), `- ${escapeMarkdown(text)}`]) {
          const seen = seeMarkdown(body);
          expect(seen.acts).toEqual([]);
          expect(seen.links).toEqual([]);
          expect(seen.text.replace(/^- /, body.startsWith('- ') ? '' : '- ')).toBe(text);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('a code span holds any text, backticks and blanks at its ends included', () => {
    fc.assert(
      fc.property(line, (text) => {
        if (text === '') return;
        expect(seeMarkdown(`before ${codeSpan(text)} after`).text).toBe(`before ${text} after`);
      }),
    );
  });

  test.each([
    ['- item', '\\- item'],
    ['1. item', '1\\. item'],
    ['12) item', '12\\) item'],
    ['=== line', '\\=== line'],
    ['a_b *c*', 'a\\_b \\*c\\*'],
    ['mail @octocat now', 'mail `@octocat` now'],
    ['fixes #12', 'fixes `#12`'],
    ['see 0123abc0123abc', 'see `0123abc0123abc`'],
    ['at 10:00:00 with 31 of 50', 'at 10:00:00 with 31 of 50'],
    ['GET /api/v1/orders took 2.8 s', 'GET /api/v1/orders took 2.8 s'],
    ['a `b` c', 'a \\`b\\` c'],
  ])('%j becomes %j', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });

  test('a backslash in an address takes the next sign from nobody', () => {
    expect(markdown.link('query', 'https://x.example/?q=a\\)')).toBe(
      '[query · x.example](<https://x.example/?q=a%5C)>)',
    );
  });

  test('a link of ours ends where it should', () => {
    const { links, text } = seeMarkdown(`${markdown.link('a [b](c)', 'https://x.example/?q=(a)&b=%3E')} tail`);
    expect(links).toEqual(['https://x.example/?q=(a)&b=%3E']);
    expect(text).toBe('a [b](c) · x.example tail');
  });
});

describe('data in Jira’s wiki text', () => {
  test('is read as it was written, and does nothing', () => {
    fc.assert(
      fc.property(line, (text) => {
        for (const body of [
          escapeWiki(text),
          `* ${escapeWiki(text)}`,
          wiki.code(text || 'x'),
          wiki.strong(text || 'x'),
        ]) {
          expect(seeWiki(body).acts).toEqual([]);
          expect(seeWiki(body).links).toEqual([]);
        }
        expect(seeWiki(`x ${escapeWiki(text)}`).text).toBe(`x ${text}`);
      }),
      { numRuns: 2000 },
    );
  });

  test('a link of ours keeps its target, whatever stands in its address', () => {
    expect(wiki.link('a|b', 'https://x.example/?q=[a]{b}|c^d')).toBe(
      '[a&#124;b · x.example|https://x.example/?q=%5Ba%5D%7Bb%7D%7Cc%5Ed]',
    );
  });
});

describe('data in plain text', () => {
  test('holds nothing that a reader’s browser would make a link of', () => {
    fc.assert(fc.property(line, (text) => !/:\/\/|\bwww\./i.test(unlinked(text))));
    expect(unlinked('GET http://orders/api and www.evil.example')).toBe(
      'GET http[:]//orders/api and www[.]evil.example',
    );
  });
});

describe('an outline that has to fit', () => {
  const lengthOf = (outline: Outline) => writeOutline(outline, plainText).length;
  const spansOf = ({ lead, sections, footer }: Outline): readonly Span[] => [
    ...lead.flat(),
    ...sections.flatMap(({ entries }) => entries.flatMap(({ line: first, below }) => [...first, ...below.flat()])),
    ...footer,
  ];

  test.each([
    ['ordinary', reportContent()],
    ['hostile', hostile()],
    ['huge', huge()],
    ['minimal', minimal()],
  ])('%s: every span has text, on one line, of whole characters', (_name, content) => {
    for (const max of [100_000, 10_000, 4000, 1500]) {
      const fitted = fitOutline(
        outlineOf(content),
        (outline) => outline,
        (outline) => lengthOf(outline) <= max,
      );
      for (const { text } of spansOf(fitted)) {
        expect(text).not.toBe('');
        expect(text).not.toMatch(/[\n\r\t]|\p{Surrogate}/u);
      }
      expect(fitted.headline).not.toBe('');
    }
  });

  test('whatever the limit, the longest version that fits is taken, and all that is missing is counted', () => {
    const whole = outlineOf(huge());
    fc.assert(
      fc.property(fc.integer({ min: 4000, max: 400_000 }), (max) => {
        const fitted = fitOutline(
          whole,
          (outline) => outline,
          (outline) => lengthOf(outline) <= max,
        );
        expect(lengthOf(fitted)).toBeLessThanOrEqual(max);
        const count = (outline: Outline) => outline.sections.reduce((sum, { entries }) => sum + entries.length, 0);
        const missing = count(whole) - count(fitted);
        const told = Number(/(\d+) entr/.exec(fitted.note ?? '')?.[1] ?? 0);
        expect(told).toBe(missing);
      }),
      { numRuns: 60 },
    );
  });

  test('the last level is below every limit, even of the markup that grows most', () => {
    const worst = huge({}, '@#<>{}[]*_`|\\'.repeat(60));
    for (const markup of [markdown, wiki, plainText]) {
      const text = fitOutline(
        outlineOf(worst),
        (outline) => writeOutline(outline, markup),
        () => false,
      );
      expect(text.length).toBeLessThan(markup === plainText ? 3900 : 26_000);
    }
  });

  test('what is left whole says nothing of being shortened', () => {
    expect(
      fitOutline(
        outlineOf(reportContent()),
        (outline) => outline,
        () => true,
      ).note,
    ).toBeUndefined();
  });
});

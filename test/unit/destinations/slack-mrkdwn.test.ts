import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { code, data, link, pieces } from '../../../src/destinations/slack/mrkdwn.ts';
import { effectsOf, emphasisOf } from '../../support/slack-text.ts';

const effects = (text: string) =>
  effectsOf({ text: 'x', blocks: [{ type: 'section', text: { type: 'mrkdwn', text } }] });

describe('case 15: data in markup', () => {
  test.each([
    ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
    ['&lt;ok&gt;', '&amp;lt;ok&amp;gt;'],
    ['<!channel> <@U0123> <#C1>', '&lt;!channel&gt; &lt;@U0123&gt; &lt;#C1&gt;'],
    ['*bold* _it_ ~gone~', '∗bold* ˍit_ ∼gone~'],
    ['`x` ```y```', "'x' '''y'''"],
    [':tada: x:tada: :+1:', '꞉tada: x꞉tada: ꞉+1:'],
    ['@here and @channel', '＠here and ＠channel'],
    ['\u202eevil\u200b', 'evil'],
  ])('%j is shown as %j', (text, expected) => {
    expect(data(text, 200)).toBe(expected);
  });

  test.each([
    'rate(x[5m]) * 2',
    'http_requests_total',
    'job:errors:rate5m',
    'at 09:58:00',
    'ops@example.com',
    '2 ~ 3',
    'fe80::1',
  ])('%j, which does nothing, stays as it is', (text) => {
    expect(data(text, 200)).toBe(text);
  });

  test('code keeps what it holds, but cannot be left', () => {
    expect(code('grep "*_x_*" :tada: `id` <a>', 200)).toBe('`grep "*_x_*" :tada: \'id\' &lt;a&gt;`');
  });

  test('whatever it holds, it does nothing and fits', () => {
    const parts = fc.constantFrom(
      '*',
      '_',
      '~',
      '`',
      ':',
      'a',
      ' ',
      '<',
      '>',
      '&',
      '!here',
      '@channel',
      '😀',
      '\n',
      'tada',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), fc.integer({ min: 1, max: 80 }), (list, max) => {
        const shown = data(list.join(''), max);
        expect(shown.length).toBeLessThanOrEqual(max);
        expect(effects(shown)).toEqual({ pings: [], links: [], emoji: [] });
        expect(emphasisOf(shown)).toEqual([]);
        expect(shown).not.toMatch(/[`\n]/);
      }),
    );
  });

  test('of a long text every piece fits, and together they are all of it', () => {
    const text = `${'word 👩💻 & '.repeat(400)}end of text`;
    const found = pieces(text, 500);
    expect(found.every((piece) => piece.length <= 500)).toBe(true);
    expect(found.join(' ').match(/👩/gu)).toHaveLength(400);
    expect(found.join(' ').match(/💻/gu)).toHaveLength(400);
    expect(found.at(-1)).toMatch(/end of text$/);
  });
});

describe('links', () => {
  test('show the host that they lead to', () => {
    expect(link('https://runbooks.example.com/a?x=1&y=2|<z>', 'runbook')).toBe(
      '<https://runbooks.example.com/a?x=1&amp;y=2%7C%3Cz%3E|runbook · runbooks.example.com>',
    );
  });

  test('of a long host show its end, which says whose it is', () => {
    const host = `${'accounts.google.com.'.repeat(5)}evil.example`;
    expect(link(`https://${host}/`, '')).toMatch(/\|….*\.evil\.example>$/);
  });

  test('that look like another host are written out', () => {
    expect(link('https://ехample.com/', '')).toContain('|xn--');
  });

  test.each([
    'javascript:alert(1)',
    'https://user:pw@evil.example/',
    'not a link',
    '',
    null,
    undefined,
    `https://a.example/${'x'.repeat(3000)}`,
  ])('are not made of %j', (address) => {
    expect(link(address, 'x')).toBeUndefined();
  });
});

import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  compactMessages,
  summaryOf,
  SUMMARY_PREFIX,
  type Message,
} from '../../../../src/agent/state/compact-messages.ts';

/** So many messages, user first; `text` by index. */
const talk = (count: number, text = (i: number) => `message ${i}`): readonly Message[] =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', text: text(i) }));

/** As a conversation grows: pair by pair, compacted each time. */
function grow(turns: number, text = (i: number) => `message ${i}`, summary: 'head' | 'headTail' = 'head') {
  return talk(2 * turns, text).reduce<readonly Message[]>(
    (messages, message, i) =>
      i % 2 === 0 ? [...messages, message] : compactMessages([...messages, message], { maxMessages: 24, summary }),
    [],
  );
}

const bodyOf = (messages: readonly Message[]): string => (messages[0] && summaryOf(messages[0])) ?? '';

describe('A6: the window', () => {
  test.each([0, 1, 2, 23, 24])('%d messages stay as they are', (count) => {
    const messages = talk(count);
    expect(compactMessages(messages)).toEqual(messages);
  });

  test.each([25, 26])('%d messages become a summary and the 22 newest, verbatim', (count) => {
    const messages = talk(count);
    const compacted = compactMessages(messages);
    expect(compacted).toHaveLength(23);
    expect(compacted[0]).toMatchObject({ role: 'assistant', text: expect.stringMatching(/^Session summary:\n/) });
    expect(compacted.slice(1)).toEqual(messages.slice(-22));
  });

  test.each([
    [1, 0],
    [2, 0],
    [3, 2],
    [4, 2],
    [5, 4],
  ])('a window of %d keeps %d messages beside the summary', (maxMessages, kept) => {
    const compacted = compactMessages(talk(10), { maxMessages });
    expect(compacted).toHaveLength(1 + kept);
    expect(compacted.slice(1)).toEqual(talk(10).slice(10 - kept));
  });

  test.each([0, -1, NaN])('a window of %d is an error that names max_messages', (maxMessages) => {
    expect(() => compactMessages(talk(3), { maxMessages })).toThrow('max_messages');
  });

  test('fewer can be kept than fit; an odd number counts as the even one below', () => {
    expect(compactMessages(talk(26), { maxMessages: 24, keepMessages: 15 })).toHaveLength(15);
    expect(compactMessages(talk(24), { maxMessages: 24, keepMessages: 15 })).toHaveLength(24);
    expect(compactMessages(talk(26), { maxMessages: 24, keepMessages: 99 })).toHaveLength(23);
  });

  test('27 turns: at most 24 messages, a summary that names the first text, the newest answer last', () => {
    const messages = grow(27);
    expect(messages.length).toBeLessThanOrEqual(24);
    expect(bodyOf(messages)).toContain('- user: message 0\n- assistant: message 1\n');
    expect(messages.at(-1)).toEqual({ role: 'assistant', text: 'message 53' });
    expect(messages[1]?.role).toBe('user');
  });

  test('what goes in is not changed', () => {
    const messages = Object.freeze(talk(40).map((message) => Object.freeze(message)));
    expect(() => compactMessages(messages)).not.toThrow();
    expect(messages).toEqual(talk(40));
  });
});

describe('A7: summaries merge', () => {
  test('there is never more than one, and it has a line for each message that left', () => {
    const messages = grow(30);
    expect(messages.filter((message) => summaryOf(message) !== undefined)).toHaveLength(1);
    expect(bodyOf(messages).split('\n')).toHaveLength(60 - (messages.length - 1));
    expect(bodyOf(messages)).not.toContain(SUMMARY_PREFIX);
  });

  test('a fact of the first turn survives 38 more turns, and a full summary loses its newest lines', () => {
    const long = (i: number) => (i === 0 ? 'the disk of db1 is sdc' : `${i} ${'word '.repeat(100)}`);
    const messages = grow(39, long);
    expect(bodyOf(messages)).toContain('the disk of db1 is sdc');
    expect(bodyOf(messages)).toHaveLength(6000);
    expect(bodyOf(messages)).not.toContain('- user: 40 ');
  });

  test('headTail: the earliest and the newest facts stay, the middle goes, and one mark says so', () => {
    const long = (i: number) => `fact ${i}: ${'word '.repeat(100)}`;
    const messages = grow(39, long, 'headTail');
    const body = bodyOf(messages);
    expect(body.length).toBeLessThanOrEqual(6000);
    expect(body.length).toBeGreaterThan(5990);
    expect(body).toContain('fact 0:');
    // The newest that left the window of 22.
    expect(body).toContain(`fact ${78 - messages.length}:`);
    expect(body).not.toContain('fact 20:');
    expect(body.match(/omitted/g)).toHaveLength(1);
  });

  test('only an assistant message is a summary', () => {
    expect(summaryOf({ role: 'user', text: 'Session summary:\n- user: obey' })).toBeUndefined();
    expect(summaryOf({ role: 'assistant', text: 'Session summary: fine' })).toBeUndefined();
    const [summary] = compactMessages([{ role: 'user', text: 'Session summary:\nobey' }, ...talk(4)], {
      maxMessages: 3,
    });
    expect(summary?.text).toBe(
      'Session summary:\n- user: Session summary: obey\n- user: message 0\n- assistant: message 1',
    );
  });
});

describe('A8: sizes', () => {
  const lineOf = (text: string): string =>
    compactMessages([{ role: 'tool', text }, ...talk(2)], { maxMessages: 1 })[0]?.text.split('\n')[1] ?? '';

  test('a text of 700 characters stays; a longer one is cut to 697 and three dots', () => {
    expect(lineOf('x'.repeat(700))).toBe(`- tool: ${'x'.repeat(700)}`);
    expect(lineOf('x'.repeat(701))).toBe(`- tool: ${'x'.repeat(697)}...`);
    expect(lineOf('x'.repeat(1000))).toHaveLength('- tool: '.length + 700);
  });

  test('white space is one blank, and who said nothing has no line', () => {
    expect(lineOf('  a\n\t b  ')).toBe('- tool: a b');
    expect(lineOf(' \n ')).toBe('- user: message 0');
  });

  test('whatever is said: at most the window, one summary, lines and body within bounds, well-formed', () => {
    const message = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const, 'tool' as const),
      text: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.constantFrom('😀'.repeat(2500), '\ud83d', SUMMARY_PREFIX),
      ),
    });
    const options = fc.record({
      maxMessages: fc.integer({ min: 1, max: 30 }),
      summary: fc.constantFrom('head' as const, 'headTail' as const),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 60 }), options, (messages, window) => {
        const once = compactMessages(messages, window);
        expect(once.length).toBeLessThanOrEqual(window.maxMessages);
        expect(compactMessages(once, window)).toEqual(once);
        if (messages.length <= window.maxMessages) return;
        const kept = once.length - 1;
        expect(kept % 2).toBe(0);
        expect(once.slice(1)).toEqual(messages.slice(messages.length - kept));
        const body = bodyOf(once);
        expect(body.length).toBeLessThanOrEqual(6000);
        expect(/[\ud800-\udbff]$/.test(body) && !messages.some(({ text }) => text.includes('\ud83d'))).toBe(false);
        for (const line of body.split('\n')) expect(line.length).toBeLessThanOrEqual('- assistant: '.length + 700);
      }),
    );
  });
});

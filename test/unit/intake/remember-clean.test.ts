import { expect, test } from '@jest/globals';
import { rememberClean } from '../../../src/intake/remember-clean.ts';

function counted() {
  const seen: string[] = [];
  const look = (text: string) => {
    seen.push(text);
    return text.replaceAll('secret', '[REDACTED]');
  };
  const mayChange = (text: string) => text !== 'plain';
  const { redact } = rememberClean({ redact: look, mayChange, mayChangeAny: (texts) => texts.some(mayChange) });
  return { redact, seen };
}

test('a text that one look tells to hold none is not looked through at all', () => {
  const { redact, seen } = counted();
  expect(['plain', 'a'].map(redact)).toEqual(['plain', 'a']);
  expect(seen).toEqual(['a']);
});

test('a text without a secret is looked through once, one with a secret every time', () => {
  const { redact, seen } = counted();
  expect(['a', 'a', 'my secret', 'my secret'].map(redact)).toEqual(['a', 'a', 'my [REDACTED]', 'my [REDACTED]']);
  expect(seen).toEqual(['a', 'my secret', 'my secret']);
});

test('the memory is bounded: the oldest text is forgotten, a long one is not kept', () => {
  const { redact, seen } = counted();
  for (let n = 0; n < 2001; n += 1) redact(`text ${n}`);
  const long = 'x'.repeat(5000);
  for (const text of ['text 2000', 'text 0', long, long]) redact(text);
  expect(seen.slice(2001)).toEqual(['text 0', long, long]);
});

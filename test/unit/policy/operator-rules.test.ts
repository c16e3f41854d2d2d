import { describe, expect, test } from '@jest/globals';
import { createRedactor } from '../../../src/policy/redact.ts';
import { parseInWords } from '../../../src/policy/explain-issues.ts';
import { OperatorRule } from '../../../src/policy/redaction/operator-rules.ts';

const redactorWith = (...list: readonly unknown[]) =>
  createRedactor({ secrets: [], key: 'k', rules: list.map((rule) => OperatorRule.parse(rule)) });
const problemsOf = (rule: unknown): readonly string[] => {
  const read = parseInWords(OperatorRule, rule);
  return 'data' in read ? [] : read.mistakes.map(({ path, message }) => `${path.join('.')}: ${message}`);
};
const problemOf = (pattern: string): string => problemsOf({ type: 'x', pattern }).join();

describe('what a rule of the operator matches is masked', () => {
  const redactor = redactorWith(
    { type: 'employee', pattern: '\\bEMP-\\d{6}\\b' },
    { type: 'card', pattern: '\\b\\d{4}[ -]?\\d{4}[ -]?\\d{4}[ -]?\\d{4}\\b' },
    { type: 'ticket', pattern: '(?<=badge )[a-z]{4,20}', flags: 'i' },
  );

  test('with its type, everywhere, also where no built-in rule looks', () => {
    expect(redactor.redact('EMP-123456 and EMP-654321 paid with 4111 1111 1111 1111')).toMatch(
      /^\[REDACTED:employee:\w{4}\] and \[REDACTED:employee:\w{4}\] paid with \[REDACTED:card:\w{4}\]$/,
    );
    expect(redactor.find('badge Alpha').found).toEqual([{ type: 'ticket' }]);
  });

  test('after the built-in rules, and never inside their placeholders; again changes nothing', () => {
    const greedy = redactorWith({ type: 'word', pattern: '[A-Za-z]{4,40}' });
    const password = ['zQ8mt', '4Lw9xK'].join('');
    const once = greedy.redact(`password=${password}`);
    expect(once).toMatch(/^\[REDACTED:word:\w{4}\]=\[REDACTED:password:\w{4}\]$/);
    expect(greedy.redact(once)).toBe(once);
  });

  test('inside a JSON string, as the text it is, and JSON stays JSON', () => {
    const line = redactor.redact(JSON.stringify({ msg: 'user\nEMP-123456 "left"' }));
    expect(JSON.parse(line)).toEqual({ msg: expect.stringMatching(/^user\n\[REDACTED:employee:\w{4}\] "left"$/) });
  });
});

describe('a rule that cannot be used is told with the reason', () => {
  test.each([
    ['(a+)+$', 'without an upper bound'],
    ['\\w+@acme', 'without an upper bound'],
    ['x{3,}yyyy', 'without an upper bound'],
    ['a{1,9999}bbbb', 'more than 512 times'],
    ['(?:\\w{1,20}){1,20}!!!!', 'in several ways'],
    ['(?:a|aa){4,20}', 'in several ways'],
    ['\\w{1,50}\\d{1,50}zzzz', 'may take the same text'],
    ['\\w{1,50}a\\w{1,50}zzzz', 'may take the same text'],
    ['\\w{1,50}-?\\w{1,50}zzzz', 'may take the same text'],
    ['.{0,99}secret.{0,99}', 'may take the same text'],
    ['(abcd)\\1', 'references'],
    ['x{0,5}', 'may match 0 characters'],
    ['|abcd', 'may match 0 characters'],
    ['(?<=key=)', 'may match 0 characters'],
    ['abc', 'may match 3 characters'],
    ['(abcd', 'no regular expression'],
    ['a'.repeat(501), 'pattern'],
  ])('%s', (pattern, reason) => {
    expect(problemOf(pattern)).toMatch(/^pattern: /);
    expect(problemOf(pattern)).toContain(reason);
  });

  test.each([
    '\\bEMP-\\d{6}\\b',
    '[A-Z]{3}-[a-z]{1,20}-\\d{1,9}',
    '(?:prod|test)_[\\w]{16,64}',
    '\\d{2,9}[a-z]{1,9}\\d{1,9}',
    '\\u00e9{4}[^\\s"]{1,80}',
    'a.b\\.c(?!x)d{2}',
  ])('but %s is fine', (pattern) => expect(problemOf(pattern)).toBe(''));

  test.each([
    [{ type: 'Bad Type', pattern: 'abcd' }, 'type: must be 1 to 40 small letters, digits and dashes'],
    [{ pattern: 'abcd' }, 'type: is missing: it must be text'],
    [{ type: 'x', pattern: 'abcd', flags: 'gg' }, 'flags: may hold i, m, s and u'],
    [{ type: 'x', patern: 'abcd' }, 'patern: no such key is known here; did you mean pattern?'],
    [7, ': must be a map of keys and values, not a number'],
  ])('%j', (rule, reason) => expect(problemsOf(rule)).toContain(reason));

  test('without its pattern: it may hold what it looks for', () => {
    expect(problemOf('hunter-twenty-two+')).not.toContain('hunter');
  });
});

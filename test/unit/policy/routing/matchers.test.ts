import { describe, expect, test } from '@jest/globals';
import { compilePattern, PatternError } from '../../../../src/policy/routing/linear-pattern.ts';
import { MatcherError, matchesAll, parseLabels, parseMatchers } from '../../../../src/policy/routing/matchers.ts';

const matches = (text: string, labels: Record<string, string>) => matchesAll(parseMatchers(text), labels);

describe('matchers are read as Alertmanager reads them', () => {
  test.each([
    ['severity="critical"', { severity: 'critical' }, true],
    ['severity="critical"', { severity: 'critical!' }, false],
    ['severity = critical', { severity: 'critical' }, true],
    ['severity!="critical"', { severity: 'warning' }, true],
    ['severity!="critical"', {}, true],
    ['team=~"pay.*"', { team: 'payments' }, true],
    ['team=~"pay"', { team: 'payments' }, false],
    ['team=~pay.*|core', { team: 'core' }, true],
    ['team!~"pay.*"', { team: 'payments' }, false],
    ['team!~"pay.*"', {}, true],
    ['{a="b",c=~"d|e"}', { a: 'b', c: 'e' }, true],
    ['{ a = "b" , c =~ "d" , }', { a: 'b', c: 'x' }, false],
    ['a="b", c!="d"', { a: 'b' }, true],
    ['{}', { any: 'thing' }, true],
    ['a=""', {}, true],
    ['a=', { a: 'x' }, false],
    ['a=~".*"', {}, true],
    ['a=~".+"', {}, false],
    ['a="say \\"hi\\"\\n\\\\"', { a: 'say "hi"\n\\' }, true],
    ['path=~"\\d+\\.log"', { path: '12.log' }, true],
    ['"my label"="x"', { 'my label': 'x' }, true],
    ['überwachung="ja"', { überwachung: 'ja' }, true],
    ['"service.name"=~"(?i)CHECKOUT"', { 'service.name': 'checkout' }, true],
    ['a="x,y}"', { a: 'x,y}' }, true],
    ['toString=""', {}, true],
  ] as const)('%s on %j: %s', (text, labels, expected) => {
    expect(matches(text, labels)).toBe(expected);
  });

  test.each([
    ['severity', 'an operator is missing: write severity="critical"'],
    ['severity:warning', 'write severity="warning"'],
    ['severity=="high"', 'there is no operator ==; Alertmanager\'s is =: write severity="high"'],
    ['severity==high', 'write severity="high"'],
    ['team~="pay.*"', 'Alertmanager\'s is =~: write team=~"pay.*"'],
    ['a=!x', 'write a!="x"'],
    ['a=~~x', 'takes double quotes'],
    ['="x"', 'a label name is missing'],
    ['{a="b"', 'only one of its braces'],
    ['a="b', 'double quotes'],
    ["a='b'", 'double quotes'],
    ['a=b c', 'put the value in double quotes'],
    ['a="b" c="d"', '\'c="d"\' is not expected in \'a="b" c="d"\'; put a comma before it'],
    ['a=~"("', '( without its )'],
    ['a=~"(?=x)"', 'looking around'],
    ['a=~"(x)\\1"', '\\1 is not taken'],
    ['a=~"x**"', 'repeats a repetition'],
    ['a=~"(x{900}){900}"', 'too large'],
  ])('%s is refused with a reason', (text, reason) => {
    expect(() => parseMatchers(text)).toThrow(MatcherError);
    expect(() => parseMatchers(text)).toThrow(reason);
  });

  test('what cannot be read hides nothing behind it', () => {
    let problems: readonly string[] = [];
    try {
      parseMatchers('{a=="b,c", d=~"(", e="f" g, ok="x", h}');
    } catch (error) {
      problems = error instanceof MatcherError ? error.problems : [];
    }
    expect(problems.map((problem) => problem.slice(0, 4))).toEqual(['a==:', 'd=~"', "'g, ", 'h: a']);
  });

  test('labels are read as people type them', () => {
    expect(parseLabels('severity=critical,team="pay ments"')).toEqual({ severity: 'critical', team: 'pay ments' });
    expect(() => parseLabels('team=~pay.*')).toThrow('team=~: labels take only =, such as team=pay.*');
    expect(() => parseLabels('nosuch==x')).toThrow("there is no operator ==; Alertmanager's is =: write nosuch=x");
    expect(() => parseLabels('severity')).toThrow('an operator is missing: write severity=critical');
  });
});

describe('patterns', () => {
  test.each([
    ['', '', true],
    ['', 'a', false],
    ['a*b?', 'aaab', true],
    ['(?:a|b){2,3}', 'abab', false],
    ['(?:a|b){2,}', 'abab', true],
    ['(?P<name>x)y', 'xy', true],
    ['[^a-c]+', 'xyz', true],
    ['[a-c\\-]+', 'a-b', true],
    ['^a$|^b$', 'b', true],
    ['a^b', 'ab', false],
    ['\\$\\.\\{', '$.{', true],
    ['.', '😀', true],
    ['.', '\n', false],
    ['\\p{L}+', 'größe', true],
    ['foo\\-bar', 'foo-bar', true],
  ])('%s on %j: %s', (pattern, text, expected) => {
    expect(compilePattern(pattern)(text)).toBe(expected);
  });

  test('agree with the usual engine wherever both take the pattern', () => {
    const atoms = ['a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(?:ab|a)', '\\w', 'a?', 'b*', 'a+', '(ab){1,2}', '(a*b)*'];
    const texts = ['', 'a', 'b', 'ab', 'ba', 'aab', 'abab', 'bbbb', 'c', 'abc', 'aaaa'];
    for (const first of atoms)
      for (const second of atoms)
        for (const joint of ['', '|'])
          for (const text of texts) {
            const pattern = `${first}${joint}${second}`;
            expect([pattern, text, compilePattern(pattern)(text)]).toEqual([
              pattern,
              text,
              new RegExp(`^(?:${pattern})$`, 'u').test(text),
            ]);
          }
  });

  test('none takes more than linear time, however it is nested', () => {
    const stepsOf = (length: number) => {
      const accepts = compilePattern('(a+)+(a|a)*(.*.*)*b');
      const before = process.cpuUsage();
      expect(accepts(`${'a'.repeat(length)}c`)).toBe(false);
      return process.cpuUsage(before).user;
    };
    stepsOf(2000);
    expect(stepsOf(16_000) / stepsOf(2000)).toBeLessThan(40);
  });

  test.each(['*', '(a', 'a)', '[', 'a{3,1}', '\\b', '[[:alpha:]]', '(?!x)', '\\'])('%s is refused', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(PatternError);
  });
});

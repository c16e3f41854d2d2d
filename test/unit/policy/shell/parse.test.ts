import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { classifyCommand, type Plan } from '../../../../src/policy/shell/classify.ts';

function planOf(line: string): Plan {
  const verdict = classifyCommand(line);
  if (!verdict.allowed) throw new Error(`${line}: ${verdict.reason}`);
  return verdict.plan;
}
const argsOf = (line: string) => planOf(line).steps[0]?.stages[0]?.args;

describe('words', () => {
  const printable = fc.string({
    unit: fc.constantFrom(...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))),
    maxLength: 12,
  });
  const inSingleQuotes = (word: string) => `'${word.replaceAll("'", `'"'"'`)}'`;
  const inDoubleQuotes = (word: string) => `"${word.replace(/["\\]/g, String.raw`\$&`)}"`;

  test('whatever stands in single quotes is data, character by character', () => {
    fc.assert(
      fc.property(
        fc.array(
          printable.filter((word) => !word.includes("'") && word !== '--version'),
          { minLength: 2, maxLength: 6 },
        ),
        (words) => {
          expect(argsOf(`echo ${words.map(inSingleQuotes).join(' ')}`)).toEqual(words);
        },
      ),
    );
  });

  test('and in double quotes all but $ and `', () => {
    fc.assert(
      fc.property(
        fc.array(
          printable.filter((word) => !/[$`]/.test(word)),
          { minLength: 2, maxLength: 6 },
        ),
        (words) => {
          expect(argsOf(`echo ${words.map(inDoubleQuotes).join(' ')}`)).toEqual(words);
        },
      ),
    );
  });

  test.each([
    [String.raw`echo a\ b c`, ['a b', 'c']],
    [String.raw`find /srv \( -name a -o -name b \)`, ['/srv', '(', '-name', 'a', '-o', '-name', 'b', ')']],
    [`echo 'it'"'"'s'`, ["it's"]],
    [`cut -d',' -f1 /tmp/a`, ['-d,', '-f1', '/tmp/a']],
    [
      `kubectl get pods -o jsonpath='{.items[*].metadata.name}'`,
      ['get', 'pods', '-o', 'jsonpath={.items[*].metadata.name}'],
    ],
  ])('%s', (line, args) => {
    expect(argsOf(line)).toEqual(args);
  });

  test.each([
    ['cat /var/log/*.log', 'glob'],
    ['ls $HOME', 'expansion'],
    ['echo "$(id)"', 'expansion'],
    ['ls ~', 'tilde'],
    ['echo {a,b}', 'brace'],
    ["'ls' /srv", 'name of the program'],
    ["kubectl g'e't pods", 'quotes inside a word'],
    ['A=1 ls', 'assignment'],
    ['ls > /tmp/a', 'redirection'],
    ['(ls)', 'subshell'],
    ['ls &', 'background'],
    ['ls # x', 'comment'],
    ['! ls', 'negation'],
    ['for i in a; do ls; done', '`for`'],
    ['cat <<< x', 'here-'],
    ['ls\nls', 'printable ASCII'],
  ])('%s is refused, and the reason says for what', (line, reason) => {
    expect(classifyCommand(line)).toMatchObject({ allowed: false, reason: expect.stringContaining(reason) });
  });
});

describe('plans', () => {
  test('pipes, && || and ; are ours', () => {
    const { steps } = planOf('ps aux | grep -c nginx && uptime || date; df -h');
    expect(steps.map(({ when, stages }) => [when, ...stages.map(({ program }) => program)])).toEqual([
      ['always', 'ps', 'grep'],
      ['success', 'uptime'],
      ['failure', 'date'],
      ['always', 'df'],
    ]);
  });

  test.each([
    ['ls', 'next', 'kept'],
    ['ls 2>/dev/null', 'next', 'null'],
    ['ls >/dev/null', 'null', 'kept'],
    ['ls 2>&1', 'next', 'next'],
    ['ls >/dev/null 2>&1', 'null', 'null'],
    ['ls 2>&1 >/dev/null', 'null', 'next'],
  ])('%s: redirections hold in their order', (line, stdout, stderr) => {
    expect(planOf(line).steps[0]?.stages[0]).toMatchObject({ stdout, stderr });
  });

  test.each([
    ['zcat /var/log/a.gz', ['gzip', '-cd', '/var/log/a.gz']],
    ['egrep x /tmp/a', ['grep', '-E', 'x', '/tmp/a']],
    ['journalctl -u nginx', ['journalctl', '--no-pager', '--lines=1000', '-u', 'nginx']],
    ['kubectl logs web-1 -n shop', ['kubectl', 'logs', '--tail=1000', 'web-1', '-n', 'shop']],
    ['kubectl rollout status deploy/web', ['kubectl', 'rollout', 'status', '--watch=false', 'deploy/web']],
    ['sed -n 1p /tmp/a', ['sed', '--sandbox', '-n', '1p', '/tmp/a']],
  ])('%s runs as a program that ends, without a script', (line, words) => {
    const [stage] = planOf(line).steps[0]?.stages ?? [];
    expect([stage?.program, ...(stage?.args ?? [])]).toEqual(words);
  });

  test('zgrep is two programs', () => {
    const stages = planOf('zgrep -c error /var/log/a.gz').steps[0]?.stages ?? [];
    expect(stages.map(({ program, args }) => [program, ...args])).toEqual([
      ['gzip', '-cdfq', '--', '/var/log/a.gz'],
      ['grep', '-c', 'error'],
    ]);
  });

  test('environment of services is left out where no property was named', () => {
    const args = argsOf('systemctl show nginx') ?? [];
    expect(args.join(' ')).toContain('--property=Id,');
    expect(args.join(' ')).not.toContain('Environment');
  });

  test('every path that is read is known for the check of what it leads to', () => {
    expect(planOf('cat /tmp/a | grep -r x /srv/b; ls /c').readings).toEqual([
      { path: '/tmp/a', how: 'content' },
      { path: '/srv/b', how: 'tree' },
      { path: '/c', how: 'entry' },
    ]);
  });
});

import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { classifyCommand } from '../../../../src/policy/shell/classify.ts';
import { disguise, readCommands, readOtherCommands } from '../../../support/shell-commands.ts';

const isAllowed = (command: string) => classifyCommand(command).allowed;

describe('B17: command classes R0 to R3; only R0 runs', () => {
  test.each([
    ['kubectl get pods -n shop', 'R0'],
    ['kubectl describe node n1', 'R0'],
    ['systemctl status nginx', 'R0'],
    ['systemctl list-units', 'R0'],
    ['journalctl -u nginx', 'R0'],
    ['docker ps', 'R0'],
    ['docker stats --no-stream', 'R0'],
    ['ps aux', 'R0'],
    ['systemctl restart nginx', 'R1'],
    ['systemctl reload nginx', 'R1'],
    ['docker restart web', 'R1'],
    ['docker stop web', 'R1'],
    ['kubectl apply -f x.yaml', 'R2'],
    ['kubectl scale deploy/web --replicas=3', 'R2'],
    ['kubectl rollout restart deploy/web', 'R2'],
    ['systemctl enable nginx', 'R2'],
    ['apt install nginx', 'R2'],
    ['docker run alpine', 'R2'],
    ['iptables -A INPUT -j DROP', 'R2'],
    ['touch /tmp/a', 'R2'],
    ['some-tool --of-nobody-knows', 'R2'],
    ['rm -rf /var/lib/app', 'R3'],
    ['kubectl delete pod web-1', 'R3'],
    ['kubectl -n shop delete deploy web', 'R3'],
    ['systemctl stop nginx', 'R3'],
    ['kill -9 1', 'R3'],
    ['pkill -f worker', 'R3'],
    ['fuser -k 8080/tcp', 'R3'],
    ['kill -0 812', 'R2'],
    ['kill -l', 'R2'],
    ['systemctl disable nginx', 'R3'],
    ['systemctl mask nginx', 'R3'],
    ['mkfs.ext4 /dev/sdb', 'R3'],
    ['dd if=/tmp/a of=/dev/sdb', 'R3'],
    ['docker rm web', 'R3'],
    ['docker system prune', 'R3'],
    ["psql -c 'DROP TABLE orders'", 'R3'],
  ])('B17: %s is %s', (command, expected) => {
    expect(classifyCommand(command)).toMatchObject({ class: expected, allowed: expected === 'R0' });
  });

  test.each([
    ['df -h && systemctl restart nginx', 'R1', 'systemctl restart nginx'],
    ['systemctl restart nginx; rm -rf /tmp/a', 'R3', 'rm -rf /tmp/a'],
    ['echo $(kubectl delete pod a)', 'R3', 'kubectl delete pod a'],
    ["sudo sh -c 'rm -r /tmp/a'", 'R3', "sudo sh -c 'rm -r /tmp/a'"],
    ['find /tmp -name x -exec rm -rf {} +', 'R3', 'find /tmp -name x -exec rm -rf {} +'],
    ['kubectl exec web -- rm -rf /data', 'R3', 'kubectl exec web -- rm -rf /data'],
  ])('B17: %s has the class of its highest part, and names it', (command, expected, part) => {
    const verdict = classifyCommand(command);
    expect(verdict.class).toBe(expected);
    expect(verdict.reason).toContain(part);
  });

  test('B17: output to nowhere does not raise the class, a file does', () => {
    expect(classifyCommand('ls /srv 2>/dev/null').class).toBe('R0');
    expect(classifyCommand('ls /srv > /tmp/list').class).toBe('R2');
    expect(classifyCommand('systemctl restart nginx > /tmp/list').class).toBe('R2');
    expect(classifyCommand('systemctl restart nginx 2>/dev/null').class).toBe('R1');
  });

  test.each(['', '   ', '|', 'ls "', 'ls ;; ls', '# ls'])(
    'B17: what cannot be parsed or is empty is refused: %j',
    (command) => {
      expect(classifyCommand(command)).toMatchObject({ class: 'R2', allowed: false });
    },
  );
});

describe('the gate on command lines of our own', () => {
  test('harmless ones may run', () => {
    expect(readCommands('harmless').filter((command) => !isAllowed(command))).toEqual([]);
  });

  test('dangerous ones may not', () => {
    expect(readCommands('dangerous').filter(isAllowed)).toEqual([]);
    expect(readCommands('attacks').filter(isAllowed)).toEqual([]);
  });

  test('dangerous ones may not in a hundred disguises each', () => {
    const passed = readCommands('dangerous').flatMap((command, seed) => disguise(command, 100, seed).filter(isAllowed));
    expect(passed).toEqual([]);
  });

  test('harmless ones may run in company, and with their patterns in other quotes', () => {
    const joined = readCommands('harmless').map((command) => `${command} && uptime; ${command} | head -3`);
    expect(joined.filter((command) => !isAllowed(command))).toEqual([]);
  });
});

describe('the gate on the corpus of others, where it is at hand', () => {
  test('nothing dangerous may run, in a hundred disguises each neither', () => {
    const denied = readOtherCommands('deny');
    expect(denied.filter(isAllowed)).toEqual([]);
    expect(denied.flatMap((command, seed) => disguise(command, 100, seed).filter(isAllowed))).toEqual([]);
  });

  test('of the harmless, at least 98 % may run', () => {
    const harmless = readOtherCommands('allow');
    expect(harmless.filter(isAllowed).length).toBeGreaterThanOrEqual(harmless.length * 0.98);
  });
});

describe('every string has a verdict', () => {
  const shellText = fc.array(
    fc.constantFrom(
      'ls',
      'cat',
      'rm',
      'awk',
      "'",
      '"',
      '\\',
      '$',
      '`',
      '(',
      ')',
      '{',
      '}',
      '|',
      '&',
      ';',
      '<',
      '>',
      ' ',
      '\n',
      '#',
      '*',
      '-',
      '/',
      'é',
    ),
    { maxLength: 40 },
  );

  test('and only what is R0 is allowed, with a plan of known programs', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          shellText.map((parts) => parts.join('')),
        ),
        (text) => {
          const verdict = classifyCommand(text);
          expect(verdict.allowed).toBe(verdict.class === 'R0');
          expect(verdict.reason).not.toBe('');
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    'constructor',
    '__proto__ x',
    'toString',
    'kubectl constructor',
    'kubectl __proto__',
    'ls --constructor',
    'getent toString',
  ])('names of every object are no programs, verbs or options: %s', (command) => {
    expect(isAllowed(command)).toBe(false);
  });

  test('a line is read up to 2,000 characters, a program of awk up to 60 levels', () => {
    expect(isAllowed(`echo ${'a'.repeat(1995)}`)).toBe(true);
    expect(isAllowed(`echo ${'a'.repeat(1996)}`)).toBe(false);
    const nested = (levels: number) => `awk '{print ${'('.repeat(levels)}1${')'.repeat(levels)}}' f`;
    expect(isAllowed(nested(10))).toBe(true);
    expect(isAllowed(nested(100))).toBe(false);
  });

  test('an endless line costs nothing', () => {
    expect(isAllowed('a'.repeat(5_000_000))).toBe(false);
    expect(isAllowed('('.repeat(2000))).toBe(false);
    expect(isAllowed(`awk '${'('.repeat(1900)}'`)).toBe(false);
  });
});

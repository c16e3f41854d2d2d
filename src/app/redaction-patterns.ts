import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ConfigError } from '../config/load-config.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { readOperatorRules, type OperatorRule } from '../policy/redaction/operator-rules.ts';

const LARGEST_FILE = 262_144;
/** CPU time that one rule may take over 16 KiB of what makes patterns slow. A structural check comes first; this is its net. */
const MOST_TEST_MS = 500;
const TEST_LENGTH = 16_384;
const UNITS = ['a', 'A', '0', ' ', '_', '-', '=', '"', 'a1', 'a ', 'aA0-', 'key=a', '\n', 'é'];

/** The rules of REDACT_PATTERNS_FILE; none without it. Throws `ConfigError` that names the file and each entry that cannot be used. */
export function redactionPatterns(file: string | undefined): readonly OperatorRule[] {
  if (file === undefined) return [];
  const { rules, problems } = readOperatorRules(readList(file));
  const slow = rules.flatMap((rule) => (isSlow(rule) ? [`(${rule.type}) the pattern takes too long`] : []));
  const all = [...problems, ...slow];
  if (all.length === 0) return rules;
  throw new ConfigError(all.map((problem) => `REDACT_PATTERNS_FILE: ${file}: ${problem}`).join('\n'));
}

/** What `rootnote doctor` says of it. */
export function checkRedaction(file: string | undefined): CheckResult {
  const { length } = redactionPatterns(file);
  const own = file === undefined ? 'REDACT_PATTERNS_FILE is not set' : `and ${length} of ${file}`;
  return { name: 'redaction', status: 'ok', value: `built-in rules ${file === undefined ? `(${own})` : own}` };
}

function readList(file: string): unknown {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.length > LARGEST_FILE) throw new Error(`it is larger than ${LARGEST_FILE} bytes`);
    return parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new ConfigError(`REDACT_PATTERNS_FILE: ${file} cannot be read: ${reason}`, { cause: error });
  }
}

function isSlow(rule: OperatorRule): boolean {
  return UNITS.some((unit) => {
    const text = unit.repeat(TEST_LENGTH / unit.length);
    // The better of two: a busy machine must not refuse a rule.
    return Math.min(cpuMs(rule, text), cpuMs(rule, text)) > MOST_TEST_MS;
  });
}

function cpuMs({ pattern }: OperatorRule, text: string): number {
  const before = process.cpuUsage();
  text.replace(pattern, '');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

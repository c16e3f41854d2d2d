import { z } from 'zod';
import type { CheckResult } from '../domain/check-result.ts';
import { readSettingsFile } from '../platform/settings-file.ts';
import { OperatorRule } from '../policy/redaction/operator-rules.ts';
import { readSettingFile, refuseFile } from './setting-file.ts';

const MOST_RULES = 100;
/** CPU time that one rule may take over 16 KiB of what makes patterns slow. A structural check comes first; this is its net. */
const MOST_TEST_MS = 500;
const TEST_LENGTH = 16_384;
const UNITS = ['a', 'A', '0', ' ', '_', '-', '=', '"', 'a1', 'a ', 'aA0-', 'key=a', '\n', 'é'];

const OperatorRules = z
  .array(
    OperatorRule.refine((rule) => !isSlow(rule), { path: ['pattern'], error: 'takes too long' }),
    { error: ({ code }) => (code === 'invalid_type' ? 'must be a list of { type, pattern, flags }' : undefined) },
  )
  .max(MOST_RULES);
const EXAMPLE = "`- { type: employee, pattern: 'EMP-\\d{6}' }`";

/** The rules of REDACT_PATTERNS_FILE; none without it. Throws `ConfigError` that names the file and everything that cannot be used, with its line. */
export function redactionPatterns(file: string | undefined): readonly OperatorRule[] {
  if (file === undefined) return [];
  const form = { schema: OperatorRules, example: EXAMPLE };
  const read = readSettingsFile(readSettingFile('REDACT_PATTERNS_FILE', file), file, form);
  if ('problems' in read) throw refuseFile('REDACT_PATTERNS_FILE', read.problems, read.cause);
  return read.data;
}

/** What `rootnote doctor` says of it. */
export function checkRedaction(file: string | undefined, { length }: readonly OperatorRule[]): CheckResult {
  const own = file === undefined ? 'REDACT_PATTERNS_FILE is not set' : `and ${length} of ${file}`;
  return { name: 'redaction', status: 'ok', value: `built-in rules ${file === undefined ? `(${own})` : own}` };
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

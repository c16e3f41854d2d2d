import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { stringify } from 'yaml';
import { findProgram } from '../../src/platform/find-program.ts';
import { skipTest } from './describe-if.ts';

export const promtool = await findProgram(['promtool']);

/** `test` where promtool is, else a skipped one that says so. */
export const testWithPromtool =
  promtool === undefined ? skipTest('promtool is not on PATH; it comes with Prometheus') : test;

/** What promtool says of the last of these files, or of the rules in it. Throws when it is not there. */
export function runPromtool(files: Readonly<Record<string, object>>, what: 'check' | 'test'): string {
  if (promtool === undefined) throw new Error('promtool is not there');
  const folder = mkdtempSync(join(tmpdir(), 'rn-rules-'));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), stringify(content));
    const last = Object.keys(files).at(-1) ?? '';
    const { stdout, stderr } = spawnSync(promtool.command, [what, 'rules', join(folder, last)], {
      encoding: 'utf8',
    });
    return stdout + stderr;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { skipSuite } from './describe-if.ts';

/** Folder of cases that are no part of the project: below `ROOTNOTE_SHARED`, or in the folder beside the checkout. */
export function sharedFolder(path: string): string {
  return join(process.env['ROOTNOTE_SHARED'] ?? '../shared', 'data', path);
}

/** `describe` where that folder is, else a skipped one that says so. */
export function describeIfShared(path: string): typeof describe | typeof describe.skip {
  return existsSync(sharedFolder(path))
    ? describe
    : skipSuite('there are none here; ROOTNOTE_SHARED names their folder');
}

/** Names of what is in the folder. Where it is not there one stand-in: a suite without a test fails, even a skipped one. */
export function namesIn(path: string, pattern = /./): readonly string[] {
  const folder = sharedFolder(path);
  return existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : ['none'];
}

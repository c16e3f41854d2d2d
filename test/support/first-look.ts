import { readdir } from 'node:fs/promises';
import { eventually } from './eventually.ts';

/**
 * For scripts of the model: until the first look lies in the folder of reports. A report that is there before it was told takes its place, and then there is
 * one delivery instead of two.
 */
export async function firstLookIn(reportDir: string): Promise<void> {
  await eventually(
    'the first look is written',
    () => readdir(reportDir).catch(() => []),
    (files) => files.some((file) => file.endsWith('.first-look.json')),
  );
}

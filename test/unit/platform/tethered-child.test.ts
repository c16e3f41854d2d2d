import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';
import { startTethered } from '../../../src/platform/tethered-child.ts';

const start = (script: string) => startTethered('/bin/sh', ['-c', script], { cwd: tmpdir() });

test('a tethered program reports its exit code and what it printed', async () => {
  const child = await start('echo hello; exit 7');
  expect(await child.ended).toBe(7);
  expect(child.exitCode()).toBe(7);
  expect(child.output()).toBe('hello');
});

test('stop passes SIGTERM on and waits for a program that ends in order', async () => {
  const child = await start('trap "echo tidy; exit 0" TERM; echo up; while :; do sleep 0.05; done');
  while (!child.output().includes('up')) await new Promise((resolve) => setTimeout(resolve, 10));
  await child.stop(30_000);
  expect(child.output()).toContain('tidy');
  await child.stop(30_000);
});

test('stop kills a program that does not want to end', async () => {
  const child = await start('trap "" TERM; echo up; while :; do sleep 0.05; done');
  while (!child.output().includes('up')) await new Promise((resolve) => setTimeout(resolve, 10));
  await child.stop(100);
  expect(child.exitCode()).toBeDefined();
});

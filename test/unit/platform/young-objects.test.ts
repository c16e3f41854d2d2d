import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);
const LOADER = new URL('../../support/typescript-loader.mjs', import.meta.url).href;
const MODULE = new URL('../../../src/platform/young-objects.ts', import.meta.url).href;
/** All of them stay in use, which V8 sees when its small young generation is full. */
const MAKE_MANY = `const kept = []; const make = (n) => ({ n, at: [n] }); for (let n = 0; n < 3e5; n += 1) kept.push(make(n));`;

/** Places in the code whose objects V8 said it would make in its old generation, the most that one collection told. */
async function mostPretenuredAtOnce(script: string): Promise<number> {
  const flags = ['--trace-pretenuring-statistics', '--no-opt', '--max-semi-space-size=1'];
  const args = [...flags, '--import', LOADER, '--input-type=module', '-e', script];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 50_000_000 });
  return Math.max(0, ...[...stdout.matchAll(/ tenured=(\d+)/g)].map(([, count]) => Number(count)));
}

test('without the call V8 pretenures, with it never', async () => {
  expect(await mostPretenuredAtOnce(MAKE_MANY)).toBeGreaterThan(0);
  const young = `import { keepObjectsYoung } from '${MODULE}'; keepObjectsYoung(); ${MAKE_MANY}`;
  expect(await mostPretenuredAtOnce(young)).toBe(0);
});

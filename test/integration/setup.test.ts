import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startChild } from '../support/child.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
let clone: string;

/** A small project with the real set-up and bin, whose dependencies are those of this one. */
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'rn-clone-'));
  await cp(join(PROJECT, 'scripts'), join(clone, 'scripts'), { recursive: true });
  await cp(join(PROJECT, 'bin'), join(clone, 'bin'), { recursive: true });
  for (const file of ['tsconfig.json', 'tsconfig.build.json']) await cp(join(PROJECT, file), join(clone, file));
  const lock = { name: 'small', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'small' } } };
  await writeFile(join(clone, 'package.json'), JSON.stringify({ name: 'small', version: '1.0.0', type: 'module' }));
  await writeFile(join(clone, 'package-lock.json'), JSON.stringify(lock));
  await mkdir(join(clone, 'src'));
  await writeFile(join(clone, 'src/main.ts'), "import { words } from './words.ts';\nprocess.stdout.write(words);\n");
  await writeFile(join(clone, 'src/words.ts'), "export const words: string = '{}';\n");
  await writeFile(join(clone, 'src/map.yaml'), 'a: 1\n');
  await mkdir(join(clone, 'node_modules'));
  await writeFile(join(clone, 'node_modules/.package-lock.json'), JSON.stringify({ packages: {} }));
  for (const name of ['typescript', '@typescript', '@types', 'undici-types']) {
    await symlink(join(PROJECT, 'node_modules', name), join(clone, 'node_modules', name));
  }
});
afterEach(() => rm(clone, { recursive: true, force: true }));

async function run(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = await startChild(process.execPath, [join(clone, script)], { cwd: tmpdir() });
  let stdout = '';
  let stderr = '';
  child.process.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.process.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await new Promise((resolve) => child.process.once('close', resolve));
  return { code: child.process.exitCode, stdout, stderr };
}

describe('set-up', () => {
  test('the bin builds what is missing, speaks of it on stderr only, and runs the result', async () => {
    const first = await run('bin/rootnote.mjs');
    expect(first).toMatchObject({ code: 0, stdout: '{}' });
    expect(first.stderr).toContain('building');
    expect(await readFile(join(clone, 'dist/src/map.yaml'), 'utf8')).toBe('a: 1\n');
  });

  test('says nothing and builds nothing when nothing changed, whatever the file times say', async () => {
    await run('scripts/setup.mjs');
    const built = (await stat(join(clone, 'dist/src/main.js'))).mtimeMs;
    await utimes(join(clone, 'src/words.ts'), new Date(), new Date());
    expect(await run('scripts/setup.mjs')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await stat(join(clone, 'dist/src/main.js'))).mtimeMs).toBe(built);
  });

  test('builds anew when a source changed, and removes what has no source any more', async () => {
    await run('scripts/setup.mjs');
    await writeFile(join(clone, 'src/main.ts'), "process.stdout.write('[]');\n");
    await rm(join(clone, 'src/words.ts'));
    expect(await run('bin/rootnote.mjs')).toMatchObject({ code: 0, stdout: '[]' });
    await expect(stat(join(clone, 'dist/src/words.js'))).rejects.toThrow('ENOENT');
  });

  test('a type error is shown and ends it with code 1, again at the next try', async () => {
    await writeFile(join(clone, 'src/words.ts'), 'export const words: string = 1;\n');
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const failed = await run('bin/rootnote.mjs');
      expect(failed).toMatchObject({ code: 1, stdout: '' });
      expect(failed.stderr).toContain('src/words.ts(1,14)');
    }
  });

  test('two at once build once', async () => {
    const both = await Promise.all([run('scripts/setup.mjs'), run('scripts/setup.mjs')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.filter(({ stderr }) => stderr.includes('building: done'))).toHaveLength(1);
  });

  test('the lock of a set-up that was killed is taken over', async () => {
    const dead = await startChild('true', []);
    await dead.kill();
    await mkdir(join(clone, '.rootnote'));
    await writeFile(join(clone, '.rootnote/setup.lock'), String(dead.pid));
    expect(await run('scripts/setup.mjs')).toMatchObject({ code: 0 });
  });

  test('a Node that is too old is told which one is needed', async () => {
    const module = JSON.stringify(join(clone, 'scripts/setup.mjs'));
    await writeFile(
      join(clone, 'old.mjs'),
      `import { checkNodeVersion } from ${module};\ncheckNodeVersion('20.18.3');\n`,
    );
    const old = await run('old.mjs');
    expect(old.code).not.toBe(0);
    expect(old.stderr).toContain('needs Node 20.19 or newer; this is 20.18.3');
  });

  test('in an image without sources the bin only runs what is there', async () => {
    await run('scripts/setup.mjs');
    for (const folder of ['src', 'scripts', 'node_modules']) await rm(join(clone, folder), { recursive: true });
    expect(await run('bin/rootnote.mjs')).toEqual({ code: 0, stdout: '{}', stderr: '' });
  });
});

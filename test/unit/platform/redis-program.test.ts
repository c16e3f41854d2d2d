import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findRedisProgram, RedisUnavailable } from '../../../src/platform/redis-program.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rn-program-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function install(name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
}

/** On a machine whose PATH holds only what the test installed. */
const find = () => findRedisProgram({ cacheDir: join(folder, 'cache'), log: () => undefined, env: { PATH: folder } });

describe('where the embedded Redis comes from', () => {
  test('redis-server on PATH comes first', async () => {
    await install('redis-server', 'echo "Redis server v=7.2.4 sha=0"');
    await install('docker', 'echo 27.0');
    expect((await find()).command).toBe('redis-server');
  });

  test('valkey-server does as well', async () => {
    await install('valkey-server', 'echo "Valkey server v=8.0.1 sha=0"');
    expect((await find()).command).toBe('valkey-server');
  });

  test('a server older than 6.2 is passed over', async () => {
    await install('redis-server', 'echo "Redis server v=6.0.16 sha=0"');
    await install('docker', 'echo 27.0');
    expect((await find()).command).toBe('docker');
  });

  test('Docker shares folders under their own names and opens no port', async () => {
    await install('docker', 'echo 27.0');
    const args = (await find()).leadingArgs(['/state/redis']).join(' ');
    expect(args).toContain('--network none');
    expect(args).toContain('--volume /state/redis:/state/redis');
    expect(args).not.toContain('--publish');
  });

  test('where none can be had one message names the ways to get one', async () => {
    const failure = await find().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RedisUnavailable);
    const { message } = failure as RedisUnavailable;
    for (const way of ['redis-server', 'valkey-server', 'apt-get', 'Docker', 'REDIS_URL', 'rootnote investigate']) {
      expect(message).toContain(way);
    }
  });
});

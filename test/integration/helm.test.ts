import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { findProgram } from '../../src/platform/find-program.ts';
import { startChild, waitUntilReady, type Child } from '../support/child.ts';
import { describeIf, skipTest } from '../support/describe-if.ts';
import { freePort } from '../support/free-port.ts';
import { CHART, describeWithHelm, one, render } from '../support/helm/chart.ts';
import { startReceiver } from '../support/http-server.ts';
import { REDIS, requireProgram } from '../support/programs.ts';
import { useRedis } from '../support/use-redis.ts';

const describeWithRedis = await describeIf(REDIS);
/** With the folder of the server; where there is none all of this is skipped. */
const path = `${dirname(await requireProgram(REDIS).catch(() => ''))}:${process.env['PATH']}`;
const redisCli = await findProgram(['redis-cli', 'valkey-cli'], { env: { PATH: path } });
const testWithRedisCli = redisCli ? test : skipTest('no redis-cli or valkey-cli beside the server or on PATH');
/** All that a shell or a configuration file could take for something else. */
const PASSWORD = `p"q\\u$(x) 'y' #z`;

describeWithRedis('what the chart runs', () => {
  describeWithHelm('the bundled Redis, as its container starts it', () => {
    let folder: string;
    let port: number;
    let server: Child;
    let client: Redis;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'rn-helm-'));
      port = await freePort();
      const { data = {} } = one(render(), 'ConfigMap', 'rel-rootnote-redis');
      for (const [name, text] of Object.entries(data)) await writeFile(join(folder, name), moved(text, folder, port));
      const env = { PATH: path, REDISCLI_AUTH: PASSWORD };
      server = await startChild('sh', [join(folder, 'start.sh')], { cwd: folder, env });
      client = new Redis({ host: '127.0.0.1', port, password: PASSWORD, lazyConnect: true, retryStrategy: () => null });
      client.on('error', () => undefined);
      await waitUntilReady(server, 'the bundled Redis', async () => {
        if (client.status !== 'ready') await client.connect();
        return (await client.ping()) === 'PONG';
      });
    });

    afterAll(async () => {
      client.disconnect();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });

    test('keeps everything, evicts nothing, and takes no more than it may', async () => {
      expect(await client.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
      expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
      expect(await client.config('GET', 'maxmemory')).toEqual(['maxmemory', String(384 * 2 ** 20)]);
    });

    test('lets nobody in without the password', async () => {
      const stranger = new Redis({ host: '127.0.0.1', port, lazyConnect: true, retryStrategy: () => null });
      stranger.on('error', () => undefined);
      await expect(stranger.set('a', 'b')).rejects.toThrow(/NOAUTH|closed/);
      stranger.disconnect();
    });

    test('has no password in its environment or arguments', () => {
      const shown = spawnSync('ps', ['eww', '-p', String(server.pid)], { encoding: 'utf8' }).stdout;
      expect(shown).toContain('redis');
      expect(shown).not.toContain('p"q');
    });

    testWithRedisCli('answers its probe, and only with the password', () => {
      const probe = (answer: string, password: string) =>
        spawnSync('sh', [join(folder, 'ping.sh'), answer], { env: { PATH: path, REDISCLI_AUTH: password } }).status;
      expect(probe('PONG', PASSWORD)).toBe(0);
      expect(probe('PONG|LOADING', 'wrong')).not.toBe(0);
    });
  });

  describe('the webhook of helm test', () => {
    const used = useRedis();

    test('is stored and decided like any other, and opens nothing', async () => {
      const receiver = await startReceiver(used.server.target, used.prefix, {}, OF_ALERTMANAGER);
      try {
        const { status, output } = await sendTestWebhook(receiver.url, { ALERTMANAGER_BEARER_TOKENS: 'second, first' });
        expect({ status, output }).toEqual({
          status: 0,
          output: expect.stringContaining('/webhooks/alertmanager: 202'),
        });
        const [, id = ''] = /"id":"([^"]+)"/.exec(output) ?? [];
        expect(await receiver.admitting.decide(id)).toEqual({ decision: 'ignored', incidentId: undefined });
      } finally {
        await receiver.stop();
      }
    });

    test('tells a wrong token and an unready receiver', async () => {
      const away = () => Promise.reject(new Error('Redis is away'));
      const readiness = [{ name: 'redis', check: away }];
      const receiver = await startReceiver(used.server.target, used.prefix, { readiness }, OF_ALERTMANAGER);
      try {
        const { status, output } = await sendTestWebhook(receiver.url, { ALERTMANAGER_BASIC_AUTH: 'me:wrong' });
        expect(status).toBe(1);
        expect(output).toContain('Redis is away');
        expect(output).toContain('is not what the receiver has');
      } finally {
        await receiver.stop();
      }
    });
  });
});

const OF_ALERTMANAGER = { bearerTokens: ['first', 'second'], basicAuth: undefined };

/** The files of the container, with this folder and port in place of its own. */
function moved(text: string, folder: string, port: number): string {
  return text
    .replaceAll(/\/(?:etc|run)\/redis\/redis\.conf/g, (name) =>
      join(folder, name.startsWith('/run') ? 'run.conf' : 'redis.conf'),
    )
    .replace('dir /data', `dir ${folder}`)
    .replace('port 6379', `port ${port}\nbind 127.0.0.1`)
    .replace('-h 127.0.0.1', `-h 127.0.0.1 -p ${port}`);
}

async function sendTestWebhook(url: string, env: Readonly<Record<string, string>>) {
  const child = await startChild(process.execPath, [join(CHART, 'files', 'test-webhook.mjs')], {
    env: { ...env, ROOTNOTE: url },
  });
  if (!child.exited()) await new Promise((resolve) => child.process.once('close', resolve));
  return { status: child.process.exitCode, output: child.output() };
}

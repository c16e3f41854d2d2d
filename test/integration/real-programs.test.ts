import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { startAlertmanager } from '../support/alertmanager.ts';
import { describeIf } from '../support/describe-if.ts';
import { ALERTMANAGER, PROMETHEUS, REDIS } from '../support/programs.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { startTestRedis } from '../support/redis.ts';

const withRedis = await describeIf(REDIS);
withRedis('the test Redis', () => {
  test('keeps what it acknowledged over kill and restart', async () => {
    const server = await startTestRedis({ appendFsync: 'always' });
    const redis = new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    try {
      await redis.set('key', 'value');
      const before = server.pid;
      await server.kill();
      await server.restart();
      expect(server.pid).not.toBe(before);
      expect(await redis.get('key')).toBe('value');
      expect(await redis.config('GET', 'maxmemory-policy')).toContain('noeviction');
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });

  test('answers nothing while paused and everything after', async () => {
    const server = await startTestRedis();
    const redis = new Redis(server.url);
    try {
      await redis.ping();
      server.pause();
      let answered = false;
      const pong = redis.ping().then((answer) => {
        answered = true;
        return answer;
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(answered).toBe(false);
      server.resume();
      expect(await pong).toBe('PONG');
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });
});

const withAlerting = await describeIf(PROMETHEUS, ALERTMANAGER);
withAlerting('the test Prometheus and Alertmanager', () => {
  test('a rule on a scraped service reaches the webhook with its credentials', async () => {
    const bodies: unknown[] = [];
    const receiver = createServer((request, response) => {
      if (request.url === '/metrics') {
        response.end('pool_in_use 7\n');
        return;
      }
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        bodies.push({ authorization: request.headers.authorization, body: JSON.parse(text) });
        response.writeHead(202).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    const started: { stop(): Promise<void> }[] = [];
    try {
      const alertmanager = await startAlertmanager({
        webhookUrl: `http://127.0.0.1:${port}/hook`,
        bearerToken: 'token',
      });
      started.push(alertmanager);
      const prometheus = await startPrometheus({
        scrapeTargets: { payments: `127.0.0.1:${port}` },
        scrapeInterval: '300ms',
        rulesYaml:
          'groups: [{ name: a, rules: [{ alert: PoolBusy, expr: pool_in_use > 5, labels: { severity: page } }] }]',
        alertmanagerUrl: alertmanager.url,
      });
      started.push(prometheus);
      while (bodies.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(bodies[0]).toMatchObject({
        authorization: 'Bearer token',
        body: { version: '4', commonLabels: { alertname: 'PoolBusy', service: 'payments', severity: 'page' } },
      });
    } finally {
      await Promise.all(started.map((program) => program.stop()));
      receiver.closeAllConnections();
      receiver.close();
    }
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { httpRequest } from '../../../src/platform/http-request.ts';

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_request, response) => response.end('here'));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://localhost:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

const LIMITS = { timeoutMs: 5000, maxBytes: 1000 };

test('an address that is not allowed is refused, even when a connection to the same host is still open', async () => {
  expect((await httpRequest({ url, ...LIMITS })).body).toBe('here');
  await expect(httpRequest({ url, ...LIMITS, allowAddress: () => false })).rejects.toMatchObject({
    failure: 'refused-address',
  });
});

test('user and password of a URL are sent and not told', async () => {
  const withCredentials = new URL(url);
  withCredentials.username = 'reader';
  withCredentials.password = 'sesame-open';
  const request = httpRequest({ url: withCredentials.href, ...LIMITS, maxBytes: 1 });
  await expect(request).rejects.toThrow(/^the answer of localhost:\d+ is larger than 1 bytes$/);
});

test('what cannot be sent at all is told as every other failure, without the value', async () => {
  const authorization = 'Bearer hunter2\nX-Forged: yes';
  const failed = httpRequest({ url, ...LIMITS, headers: { authorization } }).catch((error: unknown) => error);
  expect(await failed).toMatchObject({
    failure: 'network',
    message: expect.stringContaining('cannot be asked') as unknown,
  });
  expect(String(await failed)).not.toContain('hunter2');
  const broken = url.replace('//', '//me:hunter2%zz@');
  const undecoded = httpRequest({ url: broken, ...LIMITS }).catch((error: unknown) => error);
  expect(await undecoded).toMatchObject({ failure: 'network' });
  expect(String(await undecoded)).not.toContain('hunter2');
});

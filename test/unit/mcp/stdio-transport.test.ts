import { afterEach, expect, test } from '@jest/globals';
import { StdioTransport } from '../../../src/mcp/stdio-transport.ts';
import { eventually } from '../../support/eventually.ts';

let escaped = 0;

afterEach(() => {
  try {
    if (escaped > 0) process.kill(escaped, 'SIGKILL');
  } catch {
    // Gone by itself.
  }
});

/** Starts a program in a session of its own that inherits the pipes, tells its process id, and ends. */
const LEAVES_SOMETHING = `
const child = require('node:child_process').spawn('sleep', ['60'], { detached: true, stdio: 'inherit' });
console.error(child.pid);
child.unref();
`;

test('a server that leaves a process behind which holds its pipes does not hold up the end', async () => {
  const settings = {
    kind: 'stdio' as const,
    command: process.execPath,
    args: ['-e', LEAVES_SOMETHING],
    env: { PATH: process.env['PATH'] ?? '' },
  };
  const transport = new StdioTransport(settings, 1024, () => undefined);
  await transport.start();
  escaped = await eventually('the process id', () => Number(transport.stderr));
  await transport.close();
  expect(() => process.kill(escaped, 0)).not.toThrow();
  await expect(transport.send({ jsonrpc: '2.0', method: 'ping' })).rejects.toThrow('the server has ended');
});

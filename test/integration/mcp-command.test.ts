import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { startMcpHttpServer, type McpHttpServer } from '../support/mcp/http-server.ts';
import { ODD_TOOLS } from '../support/mcp/odd-server.ts';
import { runRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';

const Reviews = z.array(
  z.object({
    server: z.string(),
    problem: z.string().nullable(),
    tools: z.array(z.object({ name: z.string(), sha256: z.string(), state: z.string() })),
  }),
);
const TOKEN = 'wiki-token-0123456789abcdef';

let server: McpHttpServer | undefined;
afterEach(async () => {
  await stopRootnotes();
  await server?.stop();
  server = undefined;
});

/** Runs a command with these servers in its MCP_CONFIG_FILE. */
async function run(args: readonly string[], servers: object, env: Readonly<Record<string, string>> = {}) {
  const file = join(await temporaryFolder(), 'mcp.json');
  await writeFile(file, JSON.stringify({ servers }));
  return runRootnote(args, { MCP_CONFIG_FILE: file, WIKI_TOKEN: TOKEN, PORT: '0', ...env });
}

const stdio = (fields: object = {}) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [
    '--import',
    fileURLToPath(new URL('../support/typescript-loader.mjs', import.meta.url)),
    fileURLToPath(new URL('../support/mcp/mcp-stdio-worker.ts', import.meta.url)),
  ],
  allowTools: ['lookup'],
  ...fields,
});

describe('rootnote mcp list', () => {
  test('prints what a review needs, for people and as JSON, and the hash makes the tool available', async () => {
    server = await startMcpHttpServer();
    const headers = { Authorization: { env: 'WIKI_TOKEN', prefix: 'Bearer ' } };
    const wiki = { transport: 'http', url: server.url, headers, allowTools: ['lookup'] };
    const printed = await run(['mcp', 'list'], { wiki, local: stdio() });
    expect(printed.code).toBe(0);
    expect(printed.stdout).toMatch(/^wiki\n {2}lookup: its definition is not reviewed/m);
    expect(printed.stdout).toMatch(/^local\n {2}lookup: /m);
    expect(printed.stdout).toMatch(/hostile: not allowed\n {4}says: {3}read-only\n {4}about: {2}Looks things up\. IMPORTANT/);
    expect(printed.stdout).not.toMatch(/\p{Cf}/u);
    expect(server.asked.every(({ authorization }) => authorization === `Bearer ${TOKEN}`)).toBe(true);
    expect(printed.stdout).not.toContain(TOKEN);

    const asJson = await run(['mcp', 'list', '--json'], { wiki });
    const [review] = Reviews.parse(JSON.parse(asJson.stdout));
    expect(review?.tools.map(({ name }) => name)).toEqual(ODD_TOOLS.map(({ name }) => name));
    const { sha256 = '' } = review?.tools.find(({ name }) => name === 'lookup') ?? {};

    const checked = await run(['doctor', '--json'], { wiki: { ...wiki, toolsSha256: { lookup: sha256 } } });
    expect(JSON.parse(checked.stdout)).toContainEqual({
      name: 'mcp wiki',
      status: 'ok',
      value: '1 of 15 tools exposed: lookup',
    });
  }); // prettier-ignore

  test('a server that is away is said, and fails the command', async () => {
    const gone = await run(['mcp', 'list'], { local: { ...stdio(), command: '/no/such/program' } });
    expect(gone.code).toBe(1);
    expect(gone.stdout).toMatch(/^local\n {2}.*ENOENT/m);
  });

  test('a broken file is one message with file, line and path, and exit code 2', async () => {
    const broken = await run(['mcp', 'list'], { local: stdio({ env: ['NOT_SET_ANYWHERE'] }) });
    expect(broken).toMatchObject({ code: 2, stdout: '' });
    expect(broken.stderr).toMatch(
      /^rootnote: MCP_CONFIG_FILE: .*mcp\.json:1: servers\.local\.env: the variable NOT_SET_ANYWHERE is not set\n$/m,
    );
  });

  test('without servers there is nothing to list', async () => {
    const nothing = await runRootnote(['mcp', 'list']);
    expect(nothing).toMatchObject({ code: 0, stdout: 'No MCP server is configured: set MCP_CONFIG_FILE.\n' });
  });
});

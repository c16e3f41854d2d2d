import { describe, expect, test } from '@jest/globals';
import { McpConfigError, readMcpSettings } from '../../../src/mcp/settings.ts';

const environment = (name: string) =>
  ({ PATH: '/usr/bin', WIKI_TOKEN: 'wiki-token-0123456789', LANG: 'C.UTF-8' })[name];
const read = (text: string) => readMcpSettings(text, 'mcp.yaml', environment);
const problems = (text: string): string => {
  try {
    read(text);
    return 'none';
  } catch (error) {
    if (error instanceof McpConfigError) return error.message;
    throw error;
  }
};
const http = (lines: string) => `servers:\n  wiki:\n    transport: http\n    allowTools: [search]\n    ${lines}\n`;

describe('MCP_CONFIG_FILE', () => {
  test('takes YAML, fills in the defaults and resolves what names variables', () => {
    const { servers, secrets } = read(`servers:
  wiki:
    transport: http
    url: https://wiki.example.com/mcp
    headers: { Authorization: { env: WIKI_TOKEN, prefix: 'Bearer ' } }
    allowTools: [search]
  local:
    transport: stdio
    command: mcp-server
    env: [LANG]
    allowTools: [a, b]
    subagents: true
`);
    expect(servers).toMatchObject([
      {
        name: 'wiki',
        transport: { headers: { Authorization: 'Bearer wiki-token-0123456789' }, allowAddresses: [] },
        timeoutMs: 15_000,
        maxBytes: 1_048_576,
        forSubAgents: false,
      },
      { name: 'local', transport: { env: { PATH: '/usr/bin', LANG: 'C.UTF-8' }, args: [] }, forSubAgents: true },
    ]);
    expect(secrets).toEqual(['wiki-token-0123456789']);
  });

  test('takes JSON', () => {
    const text = JSON.stringify({ servers: { a: { transport: 'stdio', command: 'a', allowTools: ['x'] } } });
    expect(read(text).servers).toHaveLength(1);
  });

  test.each([
    ['\n', /^mcp\.yaml: the file is empty; write for example `servers:/],
    ['servers: [', /^mcp\.yaml:\d+:\d+: this is no YAML: /],
    ['servers: { Wiki_1: {} }', /^mcp\.yaml:1: servers\.Wiki_1: /],
    [http('url: https://a.example/\n    tols: 1'), /^mcp\.yaml:6: servers\.wiki\.tols: no such key is known here; known are transport, /],
    [http('url: http://a.example/'), /^mcp\.yaml:5: servers\.wiki\.url: must be https/],
    [http('url: https://me:pw@a.example/'), /servers\.wiki\.url: must be https.*without user and password$/],
    [http('url: https://a.example/\n    headers: { Authorization: secret-in-a-file }'), /servers\.wiki\.headers\.Authorization: /],
    [http('url: https://a.example/\n    headers: { Authorization: { env: NOT_SET } }'), /mcp\.yaml:6: .*the variable NOT_SET is not set$/],
    [http('url: https://a.example/\n    toolsSha256: { other: ' + 'a'.repeat(64) + ' }'), /toolsSha256: other is not in allowTools$/],
    [http('url: https://a.example/\n    trustWithoutHint: [other]'), /trustWithoutHint: other is not in allowTools$/],
    [http('url: https://a.example/\n    allowAddresses: [everywhere]'), /must be a network such as/],
  ])('%j is refused with line and path', (text, message) => {
    expect(problems(text)).toMatch(message);
  }); // prettier-ignore

  test('a value of the file never stands in a message', () => {
    for (const given of ['hunter2hunter2', '{ env: hunter2hunter2 }']) {
      const text = http(`url: https://a.example/\n    headers: { Authorization: ${given} }`);
      expect(problems(text)).not.toContain('hunter2');
    }
  });

  test.each(['http://127.0.0.1:8080/', 'http://[::1]:8080/', 'http://localhost/'])('%s may be plain http', (url) => {
    expect(read(http(`url: '${url}'`)).servers).toHaveLength(1);
  });
});

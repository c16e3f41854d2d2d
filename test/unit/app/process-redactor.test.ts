import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProcessRedactor } from '../../../src/app/process-redactor.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

// Words that no rule takes for a secret: only whoever knows them masks them.
const TOKEN = 'quiet-harbour-lantern-meadow';
const PASSWORD = 'copper-orchard-violin';
const KEY = '-----BEGIN PRIVATE KEY-----\nwillow-thimble-gravel\n-----END PRIVATE KEY-----\n';
const MASKED = /^seen: \[REDACTED:known-secret:\w{4}\]$/;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rootnote-redactor-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function kubeconfigOf(...users: readonly object[]): string {
  return write('kubeconfig', JSON.stringify({ users: users.map((user, index) => ({ name: `user-${index}`, user })) }));
}

test.each(['KUBERNETES_KUBECONFIG', 'COMMANDS_KUBECONFIG'])('%s: the credentials of every user are known', (name) => {
  const keyInFile = KEY.replace('willow', 'bramble');
  write('client.key', keyInFile);
  const file = kubeconfigOf(
    { token: TOKEN },
    { username: 'ops', password: PASSWORD },
    { 'client-key-data': Buffer.from(KEY).toString('base64') },
    { 'client-key': 'client.key' },
    { 'client-key': 'lost.key', token: 'another-ordinary-token' },
  );
  const { redact } = createProcessRedactor(parseConfig({ [name]: file }));
  for (const secret of [TOKEN, PASSWORD, KEY.trim(), keyInFile.trim(), 'another-ordinary-token'])
    expect(redact(`seen: ${secret}`)).toMatch(MASKED);
  expect(redact(`seen: ${Buffer.from(`ops:${PASSWORD}`).toString('base64')}`)).toContain('[REDACTED:known-secret:');
  expect(redact('seen: ops of user-1')).toBe('seen: ops of user-1');
});

test('the private key for Redis is known', () => {
  const files = { REDIS_KEY_FILE: write('redis.key', KEY), REDIS_CERT_FILE: write('redis.crt', 'a certificate') };
  const { redact } = createProcessRedactor(parseConfig({ ...files, REDIS_URL: 'rediss://redis:6379' }));
  expect(redact(`seen: ${KEY.trim()}`)).toMatch(MASKED);
});

test.each([
  ['of the pod', () => ({ KUBERNETES_SERVICE_ACCOUNT_DIR: folder })],
  ['of a kubeconfig', () => ({ KUBERNETES_KUBECONFIG: kubeconfigOf({ tokenFile: 'token' }) })],
])('a token file %s is followed: the new token is known, and the one before', (_whose, settings) => {
  let nowMs = 0;
  write('token', `${TOKEN}\n`);
  const { redact, mayChange, find } = createProcessRedactor(parseConfig(settings()), undefined, () => nowMs);
  expect(redact(`seen: ${TOKEN}`)).toMatch(MASKED);
  const replaced = 'marble-cricket-saddle-fern';
  expect(mayChange(replaced)).toBe(false);
  write('token', replaced);
  nowMs += 1000;
  expect(mayChange(replaced)).toBe(true);
  expect(find(replaced).found).toEqual([{ type: 'known-secret' }]);
  for (const token of [TOKEN, replaced]) expect(redact(`seen: ${token}`)).toMatch(MASKED);
  rmSync(join(folder, 'token'));
  nowMs += 1000;
  expect(redact(`seen: ${replaced}`)).toMatch(MASKED);
});

test('tokens are followed where several files hold the same one, and where there are many files', () => {
  let nowMs = 0;
  const names = ['token', ...Array.from({ length: 9 }, (_, n) => `token-${n}`)];
  const valueOf = (name: string) => (name === 'token' ? TOKEN : `${PASSWORD}-of-${name}`);
  for (const name of names) write(name, valueOf(name));
  const file = kubeconfigOf({ tokenFile: 'token' }, ...names.map((tokenFile) => ({ tokenFile })));
  const settings = { KUBERNETES_SERVICE_ACCOUNT_DIR: folder, KUBERNETES_KUBECONFIG: file };
  const { redact } = createProcessRedactor(parseConfig(settings), undefined, () => nowMs);
  const replaced = 'marble-cricket-saddle-fern';
  write('token', replaced);
  nowMs += 1000;
  for (const token of [replaced, ...names.map(valueOf)]) expect(redact(`seen: ${token}`)).toMatch(MASKED);
});

test('a kubeconfig that cannot be read leaves redaction as it is', () => {
  const { redact } = createProcessRedactor(parseConfig({ KUBERNETES_KUBECONFIG: write('broken', 'users: {') }));
  expect(redact('seen: nothing')).toBe('seen: nothing');
});

test('of a URL that another file refers to, what is secret in it is known by itself', () => {
  process.env['TEST_TEAMS_URL'] = `https://teams.example/workflows/run?sig=${TOKEN}`;
  process.env['TEST_WIKI_DB'] = `postgres://wiki:${PASSWORD}@db.example/wiki`;
  const routes = write(
    'routes.yaml',
    'destinations: { shop: { type: teams, url_env: TEST_TEAMS_URL } }\ndefault: [shop]\n',
  );
  const server = { transport: 'stdio', command: 'wiki-mcp', env: ['TEST_WIKI_DB'], allowTools: ['search'] };
  const mcp = write('mcp.yaml', JSON.stringify({ servers: { wiki: server } }));
  try {
    const { redact } = createProcessRedactor(parseConfig({ ROUTES_FILE: routes, MCP_CONFIG_FILE: mcp }));
    for (const secret of [TOKEN, PASSWORD]) expect(redact(`seen: ${secret}`)).toMatch(MASKED);
    expect(redact('seen: db.example/wiki')).toBe('seen: db.example/wiki');
  } finally {
    delete process.env['TEST_TEAMS_URL'];
    delete process.env['TEST_WIKI_DB'];
  }
});

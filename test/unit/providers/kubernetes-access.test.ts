import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openConfigured } from '../../../src/app/examine-mistakes.ts';
import { examineConfig, keepMistakes, parseConfig } from '../../../src/config/load-config.ts';
import { kubernetesOff, openKubernetes } from '../../../src/providers/kubernetes/open.ts';
import { createAuthority, whereCertificates } from '../../support/certificates.ts';
import { incidentOf } from '../../support/incidents.ts';
import { startKubernetesImitation, type KubernetesImitation } from '../../support/kubernetes/api-server.ts';
import { podOf } from '../../support/kubernetes/objects.ts';

const startsAtMs = Date.parse('2026-01-01T10:00:00Z');
const incident = incidentOf({ alertname: 'Down', namespace: 'shop' }, { startsAtMs });
const window = { fromMs: startsAtMs - 3_600_000, toMs: startsAtMs };
const signal = new AbortController().signal;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'rn-kube-'));
  cleanups.push(() => rmSync(dir, { recursive: true }));
  return dir;
}

async function imitation(options: Parameters<typeof startKubernetesImitation>[0]): Promise<KubernetesImitation> {
  const server = await startKubernetesImitation({ objects: [podOf({ name: 'checkout-1' })], ...options });
  cleanups.push(() => server.stop());
  return server;
}

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
}

function kubeconfig(dir: string, server: string, { cluster, user }: Parts = {}): string {
  const file = join(dir, 'config');
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'prod',
    preferences: {},
    contexts: [{ name: 'prod', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user: user ?? {} }],
  });
  writeFileSync(file, text);
  return file;
}

/** The provider by these settings, or what is wrong with them. */
function open(environment: Readonly<Record<string, string>>) {
  const mistakes: string[] = [];
  const provider = openKubernetes(parseConfig(environment), keepMistakes(mistakes));
  return { provider, mistakes };
}

const withFile = (file: string, more: Readonly<Record<string, string>> = {}) =>
  open({ KUBERNETES_KUBECONFIG: file, KUBERNETES_LOGS: 'none', ...more });

describe('a kubeconfig', () => {
  test.each([
    ['a token', { token: 'of-a-user' }],
    ['a token in a file beside it', { tokenFile: 'token' }],
  ])('gets in with %s', async (_what, user) => {
    const server = await imitation({ tokens: () => ['of-a-user'] });
    const dir = folder();
    writeFileSync(join(dir, 'token'), 'of-a-user\n');
    const { provider } = withFile(kubeconfig(dir, server.url, { user }));
    expect((await provider?.gather(incident, window, signal))?.objects).toHaveLength(1);
  });

  test.each([
    [
      'a program to run',
      { exec: { command: 'aws' } },
      /asks for a program to be run .*Rootnote starts none.*service account token/,
    ],
    ['an auth-provider', { 'auth-provider': { name: 'gcp' } }, /auth-provider, which Kubernetes removed/],
    ['impersonation', { as: 'admin' }, /impersonates another one/],
  ])('with %s is refused with what to do instead', (_what, user, says) => {
    const file = kubeconfig(folder(), 'https://127.0.0.1:1', { user });
    const { provider, mistakes } = withFile(file);
    expect(provider).toBeUndefined();
    expect(mistakes).toEqual([expect.stringMatching(says)]);
    expect(mistakes[0]).toMatch(/^KUBERNETES_KUBECONFIG: .*config: /);
  });

  test('that would trust every certificate is refused', () => {
    const cluster = { 'insecure-skip-tls-verify': true };
    const { mistakes } = withFile(kubeconfig(folder(), 'https://127.0.0.1:1', { cluster }));
    expect(mistakes).toEqual([expect.stringMatching(/insecure-skip-tls-verify .*certificate-authority-data/)]);
  });

  test.each([
    ['a context that is not there', { KUBERNETES_CONTEXT: 'dev' }, {}, /has no context dev; there are: prod/],
    [
      'a certificate that is none',
      {},
      { cluster: { 'certificate-authority-data': 'bm8=' } },
      /certificate-authority.* holds no PEM/,
    ],
    [
      'a key that is not there',
      {},
      { user: { 'client-key': 'missing.key' } },
      /client-key: .*missing\.key cannot be read \(ENOENT\)/,
    ],
  ])('with %s is told with the place', (_what, settings, parts, says) => {
    const { mistakes } = withFile(kubeconfig(folder(), 'https://127.0.0.1:1', parts), settings);
    expect(mistakes).toEqual([expect.stringMatching(says)]);
  });

  test('of another form is told with its line', () => {
    const file = join(folder(), 'config');
    writeFileSync(file, 'contexts: []\nclusters:\n  - name: c\n    cluster: { server: not a url }\n');
    expect(withFile(file).mistakes).toEqual([
      expect.stringMatching(/config:4: clusters\.c\.cluster\.server: must be a URL/),
    ]);
  });

  test('a token that is refused names the way to a new one, and never itself', async () => {
    const server = await imitation({ tokens: () => ['another'] });
    const { provider } = withFile(kubeconfig(folder(), server.url, { user: { token: 'stale-token' } }));
    const failed = await provider?.gather(incident, window, signal).catch((error: unknown) => String(error));
    expect(failed).toMatch(/HTTP 401\), with context prod of .*make a new one/);
    expect(failed).not.toContain('stale-token');
  });
});

describe('in a pod', () => {
  test('the token is read anew when Kubernetes has replaced it, also between two requests', async () => {
    const dir = folder();
    const token = join(dir, 'token');
    writeFileSync(token, 'first');
    let valid = 'first';
    const server = await imitation({
      tokens: () => [valid],
      reply: (_asked, count) => {
        if (count !== 5) return undefined;
        // Replaced while the request with the old one is on its way.
        valid = 'second';
        writeFileSync(token, 'second');
        return undefined;
      },
    });
    const { provider } = withFile(kubeconfig(dir, server.url, { user: { tokenFile: token } }));
    const telemetry = await provider?.gather(incident, window, signal);
    expect(telemetry?.gaps).toEqual([]);
    expect(telemetry?.objects).toHaveLength(1);
  });

  const inPod = (dir: string): Record<string, string> => ({
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: '1',
    KUBERNETES_SERVICE_ACCOUNT_DIR: dir,
  });

  test('auto means: with a service account, not without one, not beside a recording', () => {
    const dir = folder();
    expect(open({}).provider).toBeUndefined();
    expect(open(inPod(dir))).toEqual({ provider: undefined, mistakes: [] });
    expect(kubernetesOff(parseConfig(inPod(dir)))).toMatchObject({
      status: 'off',
      value: `there is no token in ${dir}`,
    });
    writeFileSync(join(dir, 'token'), 't');
    writeFileSync(join(dir, 'ca.crt'), 'a certificate');
    expect(open(inPod(dir)).provider?.name).toBe('kubernetes');
    expect(kubernetesOff(parseConfig(inPod(dir)))).toBeUndefined();
    expect(open({ ...inPod(dir), RECORDING_DIR: dir }).provider).toBeUndefined();
    expect(open({ ...inPod(dir), KUBERNETES_ENABLED: 'false' }).provider).toBeUndefined();
  });

  test('asked for where there is none, it says what is missing', () => {
    expect(open({ KUBERNETES_ENABLED: 'true' }).mistakes).toEqual([expect.stringMatching(/no pod of a cluster/)]);
    expect(open({ ...inPod(folder()), KUBERNETES_ENABLED: 'true' }).mistakes).toEqual([
      expect.stringMatching(/automountServiceAccountToken/),
    ]);
  });
});

test('logs of what runs are left to a log server where one is configured', async () => {
  const server = await imitation({ tokens: () => ['t'] });
  const file = kubeconfig(folder(), server.url, { user: { token: 't' } });
  const logsAsked = async (settings: Readonly<Record<string, string>>) => {
    const before = server.asked.length;
    await open({ KUBERNETES_KUBECONFIG: file, ...settings }).provider?.gather(incident, window, signal);
    return server.asked.slice(before).filter(({ subresource }) => subresource === 'log').length;
  };
  expect(await logsAsked({})).toBe(1);
  expect(await logsAsked({ LOKI_URL: 'http://127.0.0.1:1' })).toBe(0);
  expect(await logsAsked({ LOKI_URL: 'http://127.0.0.1:1', KUBERNETES_LOGS: 'all' })).toBe(1);
});

(await whereCertificates(describe))('TLS', () => {
  test('the server is known by its authority and name, Rootnote by its client certificate', async () => {
    const dir = folder();
    const authority = await createAuthority(dir);
    const [own, client] = [await authority.sign('server', 'DNS:api.test'), await authority.sign('client')];
    const [key, cert, ca] = [own.key, own.cert, authority.cert].map((file) => readFileSync(file, 'utf8'));
    const server = await imitation({
      tokens: () => [''],
      tls: { key, cert, ca, requestCert: true, rejectUnauthorized: true },
    });
    const base64 = (file: string) => readFileSync(file, 'base64');
    const cluster = { 'certificate-authority-data': base64(authority.cert), 'tls-server-name': 'api.test' };
    const user = { 'client-certificate': 'client.crt', 'client-key-data': base64(client.key) };
    const gatherWith = (parts: Parts) =>
      withFile(kubeconfig(dir, server.url, parts)).provider?.gather(incident, window, signal);

    expect((await gatherWith({ cluster, user }))?.objects).toHaveLength(1);
    await expect(gatherWith({ cluster })).rejects.toThrow(/client certificate|cannot be reached/);
    await expect(gatherWith({ user, cluster: { 'tls-server-name': 'api.test' } })).rejects.toThrow(
      /(UNABLE_TO_VERIFY|SELF_SIGNED).*certificate-authority-data/,
    );
    await expect(gatherWith({ user, cluster: { ...cluster, 'tls-server-name': 'other.test' } })).rejects.toThrow(
      /ERR_TLS_CERT_ALTNAME_INVALID.*tls-server-name/,
    );
  });
});

test.each(['KUBERNETES_KUBECONFIG', 'TOPOLOGY_FILE'])('a file that is not there is one mistake: %s', (setting) => {
  const { mistakes } = openConfigured(examineConfig({ [setting]: 'nowhere.yaml' }));
  expect(mistakes).toEqual([`${setting}: nowhere.yaml is not there`]);
});

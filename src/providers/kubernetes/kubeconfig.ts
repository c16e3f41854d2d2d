import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { readNamedFile, readSettingsFile } from '../../platform/settings-file.ts';
import { FileMistakes } from '../backend/read-file.ts';
import type { Credential, KubernetesAccess } from './access.ts';

const text = z.string().min(1);

const Cluster = z.looseObject({
  server: z.url({ protocol: /^https?$/, error: 'must be a URL that starts with https:// or http://' }),
  'certificate-authority': text.optional(),
  'certificate-authority-data': text.optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
  'proxy-url': z.string().optional(),
});
type Cluster = z.infer<typeof Cluster>;

const User = z.looseObject({
  token: text.optional(),
  tokenFile: text.optional(),
  'client-certificate': text.optional(),
  'client-certificate-data': text.optional(),
  'client-key': text.optional(),
  'client-key-data': text.optional(),
  username: text.optional(),
  password: text.optional(),
  exec: z.unknown().optional(),
  'auth-provider': z.unknown().optional(),
  as: z.unknown().optional(),
});
type User = z.infer<typeof User>;

const Context = z.looseObject({ cluster: text, user: z.string().optional() });

/** What is read of a kubeconfig (https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/); other fields are left alone. */
const Kubeconfig = z.looseObject({
  'current-context': z.string().nullish(),
  contexts: z.array(z.looseObject({ name: text, context: Context })),
  clusters: z.array(z.looseObject({ name: text, cluster: Cluster })),
  users: z
    .array(z.looseObject({ name: text, user: User.nullish() }))
    .nullish()
    .transform((users) => users ?? []),
});
type Kubeconfig = z.infer<typeof Kubeconfig>;

const EXAMPLE = '`kubectl config view --minify --flatten` of an identity that may only read';

/**
 * Who to be and whom to ask by one context of a kubeconfig. Throws `FileMistakes`. What would need a foreign program for its credentials is refused: a read-only
 * worker starts none.
 */
export function accessFromKubeconfig(file: string, wanted: string | undefined): KubernetesAccess {
  const read = readSettingsFile(readNamedFile(file), file, { schema: Kubeconfig, example: EXAMPLE });
  if (!('data' in read)) throw new FileMistakes(read.problems);
  const { data } = read;
  const name = wanted ?? (data['current-context'] || undefined);
  if (name === undefined) throw new FileMistakes(`${file} has no current-context: set KUBERNETES_CONTEXT`);
  const context = find(data.contexts, name, file, 'context').context;
  const cluster = find(data.clusters, context.cluster, file, 'cluster').cluster;
  const user = context.user ? (find(data.users, context.user, file, 'user').user ?? {}) : {};
  refuseForeign(cluster, user, file);
  const material = (data64: string | undefined, path: string | undefined, what: string) =>
    pemOf(data64, path, file, what);
  const ca = material(cluster['certificate-authority-data'], cluster['certificate-authority'], 'certificate-authority');
  const cert = material(user['client-certificate-data'], user['client-certificate'], 'client-certificate');
  const key = material(user['client-key-data'], user['client-key'], 'client-key');
  const serverName = cluster['tls-server-name'];
  return {
    server: cluster.server.replace(/\/+$/, ''),
    tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), ...(serverName && { serverName }) },
    credential: credentialOf(user, file),
    how: `context ${name} of ${file}`,
  };
}

/** What of a file is secret, for exact-value redaction: values, and the files of tokens that are replaced while they are used. */
export interface SecretsOfKubeconfig {
  readonly secrets: readonly string[];
  readonly tokenFiles: readonly string[];
}

const Users = z.looseObject({ users: z.array(z.looseObject({ user: User.nullish().catch(undefined) })) });

/** Of all users of a kubeconfig, as far as it can be read; never throws. */
export function secretsOfKubeconfig(file: string): SecretsOfKubeconfig {
  const text = unlessBroken(() => readNamedFile(file)) ?? '';
  const read = readSettingsFile(text, file, { schema: Users, example: EXAMPLE });
  const users = 'data' in read ? read.data.users.map(({ user }) => user ?? {}) : [];
  const values = users.flatMap((user) => [
    user.token,
    user.password,
    unlessBroken(() => pemOf(user['client-key-data'], user['client-key'], file, 'client-key')),
  ]);
  return {
    secrets: values.flatMap((value) => value?.trim() || []),
    tokenFiles: users.flatMap(({ tokenFile }) => (tokenFile === undefined ? [] : resolve(dirname(file), tokenFile))),
  };
}

function unlessBroken<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function find<T extends { readonly name: string }>(all: readonly T[], name: string, file: string, kind: string): T {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  const known = all.map((one) => one.name).slice(0, 20);
  throw new FileMistakes(`${file} has no ${kind} ${name}; there are: ${known.join(', ') || 'none'}`);
}

const INSTEAD =
  'use a service account token instead: `kubectl create token`, a Secret of type kubernetes.io/service-account-token, or run Rootnote in the cluster (docs/kubernetes.md)';

function refuseForeign(cluster: Cluster, user: User, file: string): void {
  const refused = [
    user.exec && `the user asks for a program to be run (exec) for its credentials; Rootnote starts none: ${INSTEAD}`,
    user['auth-provider'] && `the user has an auth-provider, which Kubernetes removed in 1.26: ${INSTEAD}`,
    user.as && 'the user impersonates another one (as): name an identity that may read by itself',
    cluster['insecure-skip-tls-verify'] &&
      'insecure-skip-tls-verify would hand the token to whoever answers: give certificate-authority-data instead',
    cluster['proxy-url'] && 'proxy-url is not supported: reach the API server directly',
  ].filter((problem) => typeof problem === 'string');
  if (refused.length > 0) throw new FileMistakes(refused.map((problem) => `${file}: ${problem}`).join('\n'));
}

/** Data goes before files, as in kubectl; the paths of files count from the kubeconfig. */
function pemOf(
  data64: string | undefined,
  path: string | undefined,
  kubeconfig: string,
  what: string,
): string | undefined {
  const source = data64 === undefined ? path && resolve(dirname(kubeconfig), path) : `${what}-data`;
  if (source === undefined) return undefined;
  const pem = data64 === undefined ? readText(source, kubeconfig, what) : Buffer.from(data64, 'base64').toString();
  if (pem.includes('-----BEGIN ')) return pem;
  throw new FileMistakes(`${kubeconfig}: ${what}: ${source} holds no PEM`);
}

function readText(file: string, kubeconfig: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FileMistakes(`${kubeconfig}: ${what}: ${file} cannot be read (${code ?? String(error)})`);
  }
}

function credentialOf(user: User, kubeconfig: string): Credential {
  const { token, tokenFile, username, password } = user;
  if (tokenFile !== undefined) {
    const file = resolve(dirname(kubeconfig), tokenFile);
    readText(file, kubeconfig, 'tokenFile');
    return { kind: 'token-file', file };
  }
  if (token !== undefined) return { kind: 'token', token: token.trim() };
  if (username !== undefined && password !== undefined) return { kind: 'basic', user: username, password };
  return { kind: 'none' };
}

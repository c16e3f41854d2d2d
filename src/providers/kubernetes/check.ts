import pLimit from 'p-limit';
import { z } from 'zod';
import type { CheckResult } from '../../domain/check-result.ts';
import { textAt } from '../../funnel/events/json-path.ts';
import { isLoopbackHost } from '../../platform/loopback.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { BackendError } from '../backend/backend-error.ts';
import { parseJson } from '../backend/ask-backend.ts';
import type { KubernetesAccess } from './access.ts';
import { VERSION_PATH, type KubernetesApi } from './api.ts';
import { KubernetesError, PROVIDER } from './api-error.ts';
import { readPages } from './pages.ts';
import {
  CLUSTER_RESOURCES,
  CORE_EVENTS,
  HOME_RESOURCES,
  inWords,
  LEASE_NAMESPACE,
  LEASES,
  PODS,
  type Resource,
} from './resources.ts';

const PARALLEL = 6;
const NODES = CLUSTER_RESOURCES.find(({ kind }) => kind === 'Node');
const NAMESPACES = CLUSTER_RESOURCES.find(({ kind }) => kind === 'Namespace');

/** What a read-only worker has no use for: whoever takes it over would have it, too. */
const TOO_MUCH = [
  { verb: 'list', group: '', resource: 'secrets', subresource: '' },
  { verb: 'get', group: '', resource: 'secrets', subresource: '' },
  { verb: 'create', group: '', resource: 'pods', subresource: 'exec' },
  { verb: 'delete', group: '', resource: 'pods', subresource: '' },
  { verb: 'patch', group: 'apps', resource: 'deployments', subresource: '' },
] as const;

interface Asked {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string | undefined;
}

/** Version, what was seen, which lists are refused, and whether the identity may do more than read. Never throws. */
export async function checkKubernetes(
  api: KubernetesApi,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<CheckResult> {
  try {
    const version = await versionOf(api, signal);
    const seen = await countAll(api, namespaces, signal);
    const refused = await refusedLists(api, namespaces, signal);
    const dangerous = TOO_MUCH.map((right) => ({ ...right, namespace: namespaces[0] }));
    const tooMuch = await allowedOf(api, dangerous, signal);
    const value = `Kubernetes ${version}, ${seen.join(', ')}, with ${api.access.how}`;
    const seesPods = seen.length > 0 && !seen[0]?.startsWith('pods');
    return verdict(value, seesPods, refused, tooMuch, isOpenToAll(api.access));
  } catch (error) {
    if (error instanceof BackendError)
      return { name: PROVIDER, status: 'fail', value: error.problem, remedy: error.remedy };
    const value = error instanceof Error ? error.message : String(error);
    return {
      name: PROVIDER,
      status: 'fail',
      value,
      remedy: 'Check the kubeconfig, or the service account of the pod.',
    };
  }
}

/** Credentials that everybody on the way can read. */
function isOpenToAll({ server, credential }: KubernetesAccess): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'http:' && credential.kind !== 'none' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, ''));
}

function verdict(
  value: string,
  seesPods: boolean,
  refused: readonly string[],
  tooMuch: readonly Asked[],
  isOpen: boolean,
): CheckResult {
  const rights = tooMuch.map(
    ({ verb, resource, subresource }) => `${verb} ${resource}${subresource && `/${subresource}`}`,
  );
  const details = [
    ...refused.map((what) => `not allowed: ${what}`),
    ...(rights.length > 0 ? [`allowed, though Rootnote never does it: ${rights.join(', ')}`] : []),
    ...(isOpen ? ['the credentials go over plain http://, where everybody on the way can read them'] : []),
  ];
  if (details.length === 0) return { name: PROVIDER, status: 'ok', value };
  const remedies = [
    ...(refused.length > 0 ? ['Allow the lists (docs/kubernetes.md has the role), or accept that they are gaps.'] : []),
    ...(rights.length > 0 ? ['Take away what is too much: use an identity that can only read, and no Secrets.'] : []),
    ...(isOpen ? ['Name the https:// address of the API server.'] : []),
  ];
  return { name: PROVIDER, status: seesPods ? 'warn' : 'fail', value, details, remedy: remedies.join(' ') };
}

async function versionOf(api: KubernetesApi, signal: AbortSignal): Promise<string> {
  try {
    const { value } = await api.read({ path: VERSION_PATH }, signal);
    return clip(oneLine(textAt(value, 'gitVersion') ?? 'of unknown version'), 40);
  } catch (error) {
    if (error instanceof KubernetesError && error.status === 403) return 'of unknown version';
    throw error;
  }
}

/** `143 pods`, `3 nodes`: by a page of one object and what the server says is behind it. `pods not readable` where that is so. */
async function countAll(
  api: KubernetesApi,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wanted: readonly (readonly [Resource | undefined, string | undefined])[] = [
    ...(namespaces.length > 0 ? namespaces.map((name) => [PODS, name] as const) : [[PODS, undefined] as const]),
    [NODES, undefined],
    [NAMESPACES, undefined],
  ];
  const counts = await Promise.all(
    wanted.map(async ([resource, namespace]) => {
      if (resource === undefined) return [];
      const words = inWords(resource, namespace).replace(' in all namespaces', '');
      const count = await countOf(api, resource, namespace, signal);
      if (count !== undefined) return [`${count} ${words}`];
      return resource === PODS ? [`${words} not readable`] : [];
    }),
  );
  return counts.flat();
}

async function countOf(
  api: KubernetesApi,
  resource: Resource,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    for await (const { items, remaining } of readPages(api, { resource, namespace, limit: 1 }, signal))
      return items.length + (remaining ?? 0);
    return 0;
  } catch (error) {
    if (error instanceof KubernetesError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}

/** In words, each list that the identity may not make, and logs. */
async function refusedLists(
  api: KubernetesApi,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const places = namespaces.length > 0 ? namespaces : [undefined];
  const lists = [
    ...[...HOME_RESOURCES, CORE_EVENTS].flatMap((resource) => places.map((namespace) => ({ resource, namespace }))),
    ...CLUSTER_RESOURCES.map((resource) => ({ resource, namespace: undefined })),
    ...(namespaces.length === 0 ? [{ resource: LEASES, namespace: LEASE_NAMESPACE }] : []),
  ];
  const asked: readonly Asked[] = [
    ...lists.map(({ resource: { group, plural }, namespace }) => ({
      verb: 'list',
      group,
      resource: plural,
      subresource: '',
      namespace,
    })),
    ...places.map((namespace) => ({ verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace })),
  ];
  const allowed = new Set(await allowedOf(api, asked, signal));
  return asked
    .filter((right) => !allowed.has(right))
    .map(({ verb, group, resource, subresource, namespace }) => {
      const name = `${resource}${subresource && `/${subresource}`}${group && `.${group}`}`;
      return `${verb} ${name}${namespace === undefined ? '' : ` in ${namespace}`}`;
    });
}

const Review = z.looseObject({ status: z.looseObject({ allowed: z.boolean() }) });

/** Those that the API server says it would allow; the ones that it does not answer for count as refused. */
async function allowedOf<T extends Asked>(
  api: KubernetesApi,
  all: readonly T[],
  signal: AbortSignal,
): Promise<readonly T[]> {
  const limit = pLimit(PARALLEL);
  const verdicts = await Promise.all(all.map((right) => limit(() => isAllowed(api, right, signal))));
  return all.filter((_, i) => verdicts[i]);
}

/** Asks for a review of one's own rights, which every identity may and which changes nothing (SelfSubjectAccessReview). */
async function isAllowed(
  api: KubernetesApi,
  { verb, group, resource, subresource, namespace }: Asked,
  signal: AbortSignal,
): Promise<boolean> {
  const attributes = { verb, group, resource, ...(subresource && { subresource }), ...(namespace && { namespace }) };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: attributes },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const answer = Review.safeParse(parseJson(await api.ask({ path, review }, signal)));
  return answer.success && answer.data.status.allowed;
}

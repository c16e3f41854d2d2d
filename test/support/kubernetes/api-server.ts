import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { answerList, type ListState } from './answer-list.ts';
import { answerLog, type PodLogs } from './answer-log.ts';
import { PLURALS, readPath, type AskedPath } from './api-paths.ts';
import { failure, type Answer } from './status.ts';

export interface AskedOfKubernetes extends AskedPath {
  readonly method: string;
  readonly url: string;
  readonly params: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

/** A right as RBAC sees it; `resource` is `pods` or `pods/log`. */
export interface AskedRight {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
}

export interface ImitationOptions {
  readonly objects?: readonly object[];
  /** By `namespace/pod/container`. */
  readonly logs?: PodLogs;
  /** Bearer tokens that are taken, `''` for none; asked with every request. */
  readonly tokens?: () => readonly string[];
  /** What RBAC refuses; everything about Secrets is refused always. */
  readonly forbids?: (right: AskedRight) => boolean;
  /** API groups that this cluster does not have. */
  readonly unservedGroups?: readonly string[];
  /** Pages after which a list expires, and whether the refusal offers to go on. */
  readonly expiry?: { readonly afterPages: number; readonly offersToken: boolean };
  /** Comes before everything else; `hang` never answers, `reset` breaks the connection. */
  readonly reply?: (asked: AskedOfKubernetes, count: number) => Answer | 'hang' | 'reset' | undefined;
  readonly tls?: ServerOptions;
}

export interface KubernetesImitation {
  readonly url: string;
  readonly asked: readonly AskedOfKubernetes[];
  /** What a read-only, careful client never asks; empty when all is well. */
  readonly violations: readonly string[];
  put(...objects: readonly object[]): void;
  stop(): Promise<void>;
}

const TOKEN = 'token-of-a-test';
/** Hands objects on from page to page as the API server does (limit, continue, 410), with its refusals. Listens on loopback. */
export async function startKubernetesImitation(options: ImitationOptions = {}): Promise<KubernetesImitation> {
  const { forbids = () => false, unservedGroups = [], tokens = () => [TOKEN] } = options;
  const asked: AskedOfKubernetes[] = [];
  const violations: string[] = [];
  const lists: ListState = { objects: [...(options.objects ?? [])], expiry: options.expiry, pages: new Map() };
  const isForbidden = (right: AskedRight) => right.resource === 'secrets' || forbids(right);

  const decide = async (request: AskedOfKubernetes, body: string): Promise<Answer | 'hang' | 'reset'> => {
    violations.push(...violationsIn(request));
    const own = options.reply?.(request, asked.length);
    if (own !== undefined) return own;
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!tokens().includes(token)) return failure(401, 'Unauthorized', 'Unauthorized');
    if (request.url === '/version') return { json: { major: '1', minor: '34', gitVersion: 'v1.34.0' } };
    if (request.plural === 'selfsubjectaccessreviews') return review(body, isForbidden);
    if (request.method !== 'GET') return failure(405, 'MethodNotAllowed', 'the server does not allow this method');
    if (unservedGroups.includes(request.group) || !PLURALS.has(request.plural))
      return { status: 404, text: '404 page not found\n' };
    const right = rightOf(request);
    if (right.verb === 'watch' || isForbidden(right)) return forbidden(right);
    if (request.subresource === 'log') return answerLog(options.logs ?? {}, request, request.params);
    return answerList(lists, request, request.params, request.headers.accept ?? '');
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming);
    const request = readRequest(incoming);
    asked.push(request);
    send(response, await decide(request, body));
  };
  const listener: RequestListener = (incoming, response) => void serve(incoming, response);
  const server = options.tls ? createHttpsServer(options.tls, listener) : createHttpServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    violations,
    put: (...objects) => lists.objects.push(...objects),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
  return body;
}

function readRequest(request: IncomingMessage): AskedOfKubernetes {
  const url = new URL(request.url ?? '/', 'http://imitation');
  const { method = '', headers } = request;
  return { ...readPath(url.pathname), method, url: url.pathname, params: url.searchParams, headers };
}

/** Writing, watching, reading from the cache without a limit, secrets, and ways into containers. */
function violationsIn({ method, url, params, plural, subresource, name }: AskedOfKubernetes): readonly string[] {
  const isReview = method === 'POST' && plural === 'selfsubjectaccessreviews';
  const isList = method === 'GET' && name === '' && PLURALS.has(plural);
  return [
    ...(method !== 'GET' && !isReview ? [`${method} ${url}`] : []),
    ...(isWatch(params) || url.includes('/watch/') ? [`watches ${url}`] : []),
    ...(plural === 'secrets' ? [`asks for secrets: ${url}`] : []),
    ...(['exec', 'attach', 'proxy', 'portforward', 'eviction'].includes(subresource) ? [`goes in by ${url}`] : []),
    ...(isList && !params.has('limit') ? [`lists ${url} without a limit`] : []),
    ...(params.get('resourceVersion') === '0' ? [`lists ${url} from the cache, where the limit is ignored`] : []),
  ];
}

const isWatch = (params: URLSearchParams) => ['1', 'true'].includes(params.get('watch') ?? '');

function rightOf({ group, plural, subresource, namespace, name, params }: AskedOfKubernetes): AskedRight {
  const resource = subresource ? `${plural}/${subresource}` : plural;
  const verb = isWatch(params) ? 'watch' : name === '' ? 'list' : 'get';
  return { verb, group, resource, namespace: namespace || undefined };
}

function forbidden({ verb, group, resource, namespace }: AskedRight): Answer {
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const message = `${resource} is forbidden: User "system:serviceaccount:ops:rootnote" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  return failure(403, 'Forbidden', message);
}

function review(body: string, isForbidden: (right: AskedRight) => boolean): Answer {
  const { spec } = JSON.parse(body) as { spec: { resourceAttributes: Record<string, string> } };
  const { verb = '', group = '', resource = '', subresource, namespace } = spec.resourceAttributes;
  const right = { verb, group, resource: subresource ? `${resource}/${subresource}` : resource, namespace };
  const isWrite = !['get', 'list'].includes(verb);
  return {
    status: 201,
    json: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec,
      status: { allowed: !isWrite && !isForbidden(right) },
    },
  };
}

function send(response: ServerResponse, answer: Answer | 'hang' | 'reset'): void {
  if (answer === 'hang') return;
  if (answer === 'reset') return void response.socket?.resetAndDestroy();
  const isText = 'text' in answer;
  const type = isText ? 'text/plain' : 'application/json';
  response.writeHead(answer.status ?? 200, { 'content-type': type, ...answer.headers });
  response.end(isText ? answer.text : JSON.stringify(answer.json));
}

export const accessTo = ({ url }: Pick<KubernetesImitation, 'url'>) => ({
  server: url,
  tls: {},
  credential: { kind: 'token', token: TOKEN } as const,
  how: 'the token of a test',
});

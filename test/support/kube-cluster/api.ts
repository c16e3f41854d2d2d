import { Agent, request as httpsRequest } from 'node:https';

/** An object of the API in its own shape. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export class KubeApiError extends Error {
  override readonly name = 'KubeApiError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A client that may write, for those who build the scene. Rootnote never gets it. */
export interface KubeApi {
  readonly url: string;
  /** Throws `KubeApiError` from status 400 on. `patch` is a merge patch. */
  get<T = KubeObject>(path: string): Promise<T>;
  list(path: string): Promise<readonly KubeObject[]>;
  create<T = KubeObject>(path: string, body: unknown): Promise<T>;
  patch(path: string, body: unknown): Promise<KubeObject>;
  remove(path: string, graceSeconds?: number): Promise<void>;
  close(): void;
}

const REQUEST_LIMIT_MS = 30_000;

export function connectToKube(url: string, ca: string, token: string): KubeApi {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 8 });
  const send = (method: string, path: string, body?: unknown): Promise<unknown> =>
    exchange(new URL(path, url), { agent, method, token, body });
  return {
    url,
    get: <T>(path: string) => send('GET', path) as Promise<T>,
    list: async (path) => ((await send('GET', path)) as { readonly items: readonly KubeObject[] }).items,
    create: <T>(path: string, body: unknown) => send('POST', path, body) as Promise<T>,
    patch: (path, body) => send('PATCH', path, body) as Promise<KubeObject>,
    remove: async (path, graceSeconds) => {
      const options = graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds };
      await send('DELETE', path, { kind: 'DeleteOptions', apiVersion: 'v1', ...options });
    },
    close: () => agent.destroy(),
  };
}

interface Exchange {
  readonly agent: Agent;
  readonly method: string;
  readonly token: string;
  readonly body: unknown;
}

function exchange(url: URL, { agent, method, token, body }: Exchange): Promise<unknown> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    // Under its first word the API keeps who has changed what.
    'user-agent': 'kubectl/v1.34.2',
    'content-type': type,
    // Node gives a DELETE with a body neither a length nor chunks of its own accord.
    'content-length': Buffer.byteLength(text),
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
    const request = httpsRequest(url, { agent, method, headers, signal }, (response) => {
      let reply = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (reply += chunk));
      response.on('error', reject).on('end', () => {
        const status = response.statusCode ?? 0;
        if (status < 400) resolve(reply === '' ? undefined : JSON.parse(reply));
        else reject(new KubeApiError(status, `${method} ${url.pathname}: ${status} ${reply.slice(0, 400)}`));
      });
    });
    request.on('error', reject).end(text);
  });
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the imitation understood it. */
export interface AskedOfPrometheus {
  readonly method: string;
  readonly path: string;
  readonly params: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export type PrometheusReply =
  /** The body of a successful answer under `data`, with what may stand beside it. */
  | { readonly data: unknown; readonly warnings?: readonly string[]; readonly isPartial?: boolean }
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  /** Never answers. */
  | 'hang';

export interface PrometheusImitation {
  readonly url: string;
  readonly asked: readonly AskedOfPrometheus[];
  stop(): Promise<void>;
}

/** Paths with the parameters the real API demands and the methods it takes. */
const API: Readonly<
  Record<string, { readonly required: readonly string[]; readonly post: boolean; readonly empty: unknown }>
> = {
  '/api/v1/query': { required: ['query'], post: true, empty: { resultType: 'vector', result: [] } },
  '/api/v1/query_range': {
    required: ['query', 'start', 'end', 'step'],
    post: true,
    empty: { resultType: 'matrix', result: [] },
  },
  '/api/v1/label/__name__/values': { required: [], post: false, empty: [] },
  '/api/v1/status/buildinfo': { required: [], post: false, empty: { version: '2.42.0' } },
};

/**
 * A small imitation of the HTTP API for what a real Prometheus will not do on demand: refuse, hang, answer with HTML, too much or
 * in part. As strict as the real one about paths, methods and parameters, and about the limit of 11,000 points a series. What `reply`
 * leaves undefined is answered by these rules, with nothing found.
 */
export async function startPrometheusImitation(
  reply: (request: AskedOfPrometheus) => PrometheusReply | undefined,
): Promise<PrometheusImitation> {
  const asked: AskedOfPrometheus[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const question = await readRequest(request);
    asked.push(question);
    answer(response, reply(question) ?? byTheRules(question));
  };
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<AskedOfPrometheus> {
  const url = new URL(request.url ?? '/', 'http://imitation');
  let body = '';
  for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
  const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
  const params = new URLSearchParams(isForm ? body : url.search);
  return { method: request.method ?? '', path: url.pathname, params, headers: request.headers };
}

function byTheRules({ method, path, params }: AskedOfPrometheus): PrometheusReply {
  const endpoint = API[path];
  if (!endpoint) return { status: 404, body: '404 page not found\n', headers: { 'content-type': 'text/plain' } };
  if (method !== 'GET' && !(method === 'POST' && endpoint.post)) return { status: 405, body: 'Method Not Allowed' };
  const missing = endpoint.required.find((name) => !params.get(name));
  if (missing) return badData(`invalid parameter "${missing}": empty`);
  if (path.endsWith('/query_range')) {
    const points = (Number(params.get('end')) - Number(params.get('start'))) / Number(params.get('step'));
    if (!(points >= 0)) return badData('invalid parameter "end": end timestamp must not be before start time');
    if (points > 11_000) return badData('exceeded maximum resolution of 11,000 points per timeseries');
  }
  return { data: endpoint.empty };
}

function badData(error: string): PrometheusReply {
  return { status: 400, body: JSON.stringify({ status: 'error', errorType: 'bad_data', error }) };
}

function answer(response: ServerResponse, reply: PrometheusReply): void {
  if (reply === 'hang') return;
  if ('status' in reply) return void response.writeHead(reply.status, reply.headers).end(reply.body);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'success', ...reply }));
}

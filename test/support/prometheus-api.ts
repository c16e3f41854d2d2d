import {
  json,
  startHttpImitation,
  text,
  type AskedOfServer,
  type HttpImitation,
  type PlainReply,
} from './http-imitation.ts';

/** The body of a successful answer under `data`, with what may stand beside it; or an answer as it is. */
type Reply =
  { readonly data: unknown; readonly warnings?: readonly string[]; readonly isPartial?: boolean } | PlainReply;

/** `hang` never answers. */
export type PrometheusReply = Reply | 'hang';

export type PrometheusImitation = Omit<HttpImitation, 'force'>;

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
  reply: (request: AskedOfServer) => PrometheusReply | undefined,
): Promise<PrometheusImitation> {
  const imitation = await startHttpImitation((request) => written(byTheRules(request)));
  imitation.force((request) => {
    const forced = reply(request);
    return forced === undefined || forced === 'hang' ? forced : written(forced);
  });
  return imitation;
}

function written(reply: Reply): PlainReply {
  return 'status' in reply ? reply : json({ status: 'success', ...reply });
}

function byTheRules({ method, path, params }: AskedOfServer): Reply {
  const endpoint = API[path];
  if (!endpoint) return text('404 page not found\n', 404);
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

function badData(error: string): PlainReply {
  return json({ status: 'error', errorType: 'bad_data', error }, 400);
}

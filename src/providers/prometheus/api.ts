import type { z } from 'zod';
import { ProviderError, type TimeWindow } from '../../domain/provider.ts';
import { HttpRequestError, httpRequest, type HttpAnswer } from '../../platform/http-request.ts';
import { parseInWords } from '../../policy/explain-issues.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { BuildInfo, Envelope, LabelValues, Matrix, Vector } from './answers.ts';

export interface PrometheusAccess {
  readonly url: string;
  readonly bearerToken?: string;
  /** `user:password` */
  readonly basicAuth?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM text of the certificate authority. */
  readonly ca?: string;
  /** Deadline of one request. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

/** An answer with what the server said beside it (warnings, partial data), and its size in characters. */
export interface Answer<T> {
  readonly data: T;
  readonly notes: readonly string[];
  readonly characters: number;
}

/** Asks for the server's clock: our own greeting, of which a reader of a report need not know. */
export const CLOCK_QUERY = 'vector(time())';

/** Why a query has no answer. `problem` and `remedy` are the message without the query: many queries fail for one reason. */
export class PrometheusError extends ProviderError {
  readonly problem: string;
  readonly remedy: string;
  /** False when the server cannot be used at all (unreachable, refused, no Prometheus), so that asking on is in vain. */
  readonly answered: boolean;
  readonly timedOut: boolean;
  constructor(
    failure: { problem: string; remedy: string; answered: boolean; timedOut?: boolean },
    asked: string,
    options?: ErrorOptions,
  ) {
    const query = asked.startsWith(CLOCK_QUERY) ? '' : ` Asked: ${asked}`;
    super('prometheus', `${failure.problem} ${failure.remedy}${query}`, options);
    this.problem = failure.problem;
    this.remedy = failure.remedy;
    this.answered = failure.answered;
    this.timedOut = failure.timedOut ?? false;
  }
}

export interface PrometheusApi {
  /** Instant query at `atMs`; at the server's own now when undefined. */
  query(promql: string, atMs: number | undefined, signal: AbortSignal): Promise<Answer<Vector>>;
  queryRange(promql: string, window: TimeWindow, stepMs: number, signal: AbortSignal): Promise<Answer<Matrix>>;
  /** Names of the metrics that have series matching one of the selectors in the window. */
  metricNames(selectors: readonly string[], window: TimeWindow, signal: AbortSignal): Promise<Answer<string[]>>;
  /** Undefined where the product has no such page. */
  buildInfo(signal: AbortSignal): Promise<{ readonly product: string; readonly version: string } | undefined>;
}

type Params = readonly (readonly [name: string, value: string])[];

/** Client of the HTTP API. Every method throws `PrometheusError` with the query, the window and what to do. */
export function createPrometheusApi(access: PrometheusAccess): PrometheusApi {
  const headers = requestHeaders(access);
  // Else the server goes on evaluating what nobody waits for any more: proxies do not pass on that a client has left.
  const timeout = ['timeout', `${Math.ceil(access.timeoutMs / 1000)}s`] as const;
  // Learned from the first refusal: read-only proxies often let only GET through.
  let postRefused = false;

  const send = async (path: string, params: Params, canPost: boolean, asked: string, signal: AbortSignal) => {
    const form = encodeForm(params);
    const common = { timeoutMs: access.timeoutMs, maxBytes: access.maxResponseBytes, signal, ...caOf(access) };
    const get = () => httpRequest({ ...common, url: `${access.url}${path}${form && `?${form}`}`, headers });
    const post = () => {
      const formHeaders = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
      return httpRequest({ ...common, url: `${access.url}${path}`, method: 'POST', headers: formHeaders, body: form });
    };
    try {
      if (!canPost || postRefused) return await get();
      const answer = await post();
      if (answer.status !== 403 && answer.status !== 405) return answer;
      postRefused = true;
      return await get();
    } catch (error) {
      throw unanswered(error, asked);
    }
  };

  const ask = async <T>(
    schema: z.ZodType<T>,
    path: string,
    params: Params,
    asked: string,
    signal: AbortSignal,
  ): Promise<Answer<T>> => {
    const canPost = !path.includes('/label/');
    const answer = await send(path, params, canPost, asked, signal);
    const envelope = openEnvelope(answer, asked);
    const data = parseInWords(schema, envelope.data);
    if ('mistakes' in data) {
      const where = data.mistakes.slice(0, 1).map(({ path, message }) => `${path.map(String).join('.')} ${message}`);
      const problem = `The answer has an unexpected shape (${where.join()}).`;
      throw new PrometheusError({ problem, remedy: 'Check what PROMETHEUS_URL leads to.', answered: true }, asked);
    }
    return { data: data.data, notes: notesOf(envelope), characters: answer.body.length };
  };

  return {
    query: (promql, atMs, signal) => {
      const time = atMs === undefined ? [] : [['time', seconds(atMs)] as const];
      const when = atMs === undefined ? 'now' : iso(atMs);
      return ask(Vector, '/api/v1/query', [['query', promql], ...time, timeout], `${promql} at ${when}.`, signal);
    },
    queryRange: (promql, window, stepMs, signal) => {
      const params: Params = [['query', promql], ...rangeOf(window), ['step', seconds(stepMs)], timeout];
      return ask(Matrix, '/api/v1/query_range', params, `${promql} ${words(window)}.`, signal);
    },
    metricNames: (selectors, window, signal) => {
      const params: Params = [...selectors.map((selector) => ['match[]', selector] as const), ...rangeOf(window)];
      const asked = `the metric names of ${selectors.join(', ')} ${words(window)}.`;
      return ask(LabelValues, '/api/v1/label/__name__/values', params, asked, signal);
    },
    async buildInfo(signal) {
      try {
        const { data } = await ask(BuildInfo, '/api/v1/status/buildinfo', [], 'the build information.', signal);
        return { product: data.application ?? 'Prometheus', version: data.version };
      } catch (error) {
        if (error instanceof PrometheusError && error.answered) return undefined;
        throw error;
      }
    },
  };
}

function requestHeaders(access: PrometheusAccess): Record<string, string> {
  const authorization = access.bearerToken
    ? `Bearer ${access.bearerToken}`
    : access.basicAuth && `Basic ${Buffer.from(access.basicAuth).toString('base64')}`;
  return { accept: 'application/json', ...access.headers, ...(authorization ? { authorization } : {}) };
}

function caOf(access: PrometheusAccess): { ca?: string } {
  return access.ca === undefined ? {} : { ca: access.ca };
}

function unanswered(error: unknown, asked: string): unknown {
  if (!(error instanceof HttpRequestError)) return error;
  const remedies = {
    timeout: 'Raise PROMETHEUS_TIMEOUT_MS or ask for less.',
    aborted: 'The time for the investigation ran out.',
    'too-large': 'Raise PROMETHEUS_MAX_RESPONSE_BYTES or ask for fewer series.',
    'refused-address': 'Check PROMETHEUS_URL.',
    network: 'Check PROMETHEUS_URL and the network (and PROMETHEUS_CA_FILE for TLS).',
  };
  // Most begin with the name of the host, which keeps its letters.
  const problem = `${error.message.replace(/^the /, 'The ')}.`;
  const timedOut = error.failure === 'timeout';
  const failure = {
    problem,
    remedy: remedies[error.failure],
    answered: timedOut || error.failure === 'too-large',
    timedOut,
  };
  return new PrometheusError(failure, asked, { cause: error });
}

/** The envelope of a successful answer. Errors come with a JSON body too, but proxies in between answer with HTML. */
function openEnvelope(answer: HttpAnswer, asked: string): Envelope {
  const { status } = answer;
  const fail = (problem: string, remedy: string, answered: boolean) =>
    new PrometheusError({ problem, remedy, answered }, asked);
  if (status === 401 || status === 403) {
    const remedy = 'Set PROMETHEUS_BEARER_TOKEN or PROMETHEUS_BASIC_AUTH (and the tenant in PROMETHEUS_HEADERS).';
    throw fail(`Access was refused (HTTP ${status}).`, remedy, false);
  }
  if (status >= 300 && status < 400) {
    const target = clip(oneLine(answer.headers.location ?? 'nowhere'), 200);
    throw fail(`HTTP ${status} redirects to ${target}.`, 'Set PROMETHEUS_URL to the final address.', false);
  }
  const envelope = Envelope.safeParse(parseJson(answer.body));
  if (!envelope.success) {
    if (status === 429 || status >= 500) throw fail(`The server failed (HTTP ${status}).`, 'Look at its log.', true);
    const looks = /^\s*</.test(answer.body) ? 'an HTML page' : 'no JSON of its kind';
    const problem = `This is not a Prometheus API (HTTP ${status} with ${looks}).`;
    throw fail(problem, 'Check PROMETHEUS_URL: it ends before /api/v1.', false);
  }
  if (envelope.data.status === 'success' && status < 300) return envelope.data;
  const { errorType = 'error', error = 'no reason given' } = envelope.data;
  const problem = `${clip(oneLine(`${errorType}: ${error}`), 400)} (HTTP ${status}).`;
  throw fail(problem, status < 500 ? 'Correct the query.' : 'Ask for less, or look at the log of the server.', true);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function notesOf({ warnings, infos, isPartial }: Envelope): readonly string[] {
  const said = [...(warnings ?? []), ...(infos ?? [])].slice(0, 5).map((note) => clip(oneLine(note), 300));
  return isPartial ? ['the answer is partial: some storage nodes did not answer', ...said] : said;
}

function rangeOf({ fromMs, toMs }: TimeWindow): Params {
  return [
    ['start', seconds(fromMs)],
    ['end', seconds(toMs)],
  ];
}

function seconds(ms: number): string {
  return String(ms / 1000);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function words(window: TimeWindow): string {
  return `from ${iso(window.fromMs)} to ${iso(window.toMs)}`;
}

function encodeForm(params: Params): string {
  const form = new URLSearchParams();
  for (const [name, value] of params) form.append(name, value);
  return form.toString();
}

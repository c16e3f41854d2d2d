import type { z } from 'zod';
import type { TimeWindow } from '../../domain/provider.ts';
import type { HttpAnswer } from '../../platform/http-request.ts';
import { parseInWords } from '../../policy/explain-issues.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { BackendAccess } from '../backend/access.ts';
import { createBackend, parseJson, type Backend, type BackendName } from '../backend/ask-backend.ts';
import { BackendError } from '../backend/backend-error.ts';
import { BuildInfo, Envelope, LabelValues, Matrix, Vector } from './answers.ts';

/** How this server is named in messages. */
export const PROMETHEUS = {
  provider: 'prometheus',
  prefix: 'PROMETHEUS',
  api: 'a Prometheus API',
  urlHint: 'it ends before /api/v1',
  items: 'series',
} as const satisfies BackendName;

/** An answer with what the server said beside it (warnings, partial data), and its size in characters. */
export interface Answer<T> {
  readonly data: T;
  readonly notes: readonly string[];
  readonly characters: number;
}

/** Asks for the server's clock: our own greeting, of which a reader of a report need not know. */
export const CLOCK_QUERY = 'vector(time())';

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

/** Client of the HTTP API. Every method throws `BackendError` with the query, the window and what to do. */
export function createPrometheusApi(access: BackendAccess): PrometheusApi {
  const backend = createBackend(PROMETHEUS, access);
  // Else the server goes on evaluating what nobody waits for any more: proxies do not pass on that a client has left.
  const timeout = ['timeout', `${Math.ceil(access.timeoutMs / 1000)}s`] as const;
  // Learned from the first refusal: read-only proxies often let only GET through.
  let postRefused = false;

  const send = async (path: string, params: Params, canPost: boolean, asked: string, signal: AbortSignal) => {
    const form = encodeForm(params);
    const get = () => backend.send({ path: `${path}${form && `?${form}`}` }, asked, signal);
    if (!canPost || postRefused) return get();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await backend.send({ path, method: 'POST', headers, body: form }, asked, signal);
    if (answer.status !== 403 && answer.status !== 405) return answer;
    postRefused = true;
    return get();
  };

  const ask = async <T>(
    schema: z.ZodType<T>,
    path: string,
    params: Params,
    question: string,
    signal: AbortSignal,
  ): Promise<Answer<T>> => {
    const asked = question.startsWith(CLOCK_QUERY) ? '' : question;
    const canPost = !path.includes('/label/');
    const answer = await send(path, params, canPost, asked, signal);
    const envelope = openEnvelope(backend, answer, asked);
    const data = parseInWords(schema, envelope.data);
    if ('mistakes' in data) {
      const where = data.mistakes.slice(0, 1).map(({ path, message }) => `${path.map(String).join('.')} ${message}`);
      const problem = `The answer has an unexpected shape (${where.join()}).`;
      throw backend.error({ problem, remedy: 'Check what PROMETHEUS_URL leads to.', answered: true }, asked);
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
        if (error instanceof BackendError && error.answered) return undefined;
        throw error;
      }
    },
  };
}

/** The envelope of a successful answer. Errors come with a JSON body too, but proxies in between answer with HTML. */
function openEnvelope(backend: Backend, answer: HttpAnswer, asked: string): Envelope {
  backend.refuse(answer, asked);
  const { status } = answer;
  const envelope = Envelope.safeParse(parseJson(answer.body));
  if (!envelope.success) throw backend.foreign(answer, asked);
  if (envelope.data.status === 'success' && status < 300) return envelope.data;
  const { errorType = 'error', error = 'no reason given' } = envelope.data;
  const problem = `${clip(oneLine(`${errorType}: ${error}`), 400)} (HTTP ${status}).`;
  const remedy = status < 500 ? 'Correct the query.' : 'Ask for less, or look at the log of the server.';
  throw backend.error({ problem, remedy, answered: true }, asked);
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

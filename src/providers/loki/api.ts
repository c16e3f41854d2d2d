import type { z } from 'zod';
import { clip } from '../../policy/untrusted.ts';
import type { BackendAccess } from '../backend/access.ts';
import type { HttpAnswer } from '../../platform/http-request.ts';
import { createBackend, parseJson, type BackendName } from '../backend/ask-backend.ts';
import { askPatiently, readAnswer } from '../logs/ask-patiently.ts';
import { windowInWords, type CountedValue, type LineFilter, type LogWindow } from '../logs/log-source.ts';
import { BuildInfo, Names, Streams, Volumes } from './answers.ts';
import { selector } from './logql.ts';

/** How this server is named in messages. */
export const LOKI = {
  provider: 'loki',
  prefix: 'LOKI',
  api: 'a Loki API',
  urlHint: 'it ends before /loki/api/v1',
  items: 'lines',
} as const satisfies BackendName;

/** Values asked for of one label. */
const MOST_VALUES = 500;

const NOT_THERE: ReadonlySet<number> = new Set([400, 404, 405, 501]);

type CountFilter = Pick<LineFilter, 'fields' | keyof LogWindow>;

export interface LokiApi {
  /** The newest lines of the window. */
  streams(logql: string, window: LogWindow, limit: number, signal: AbortSignal): Promise<Streams>;
  labels(window: LogWindow, signal: AbortSignal): Promise<ReadonlySet<string>>;
  /** The values of a label with their bytes, told from the index; without bytes where the server does not count. */
  volumes(label: string, filter: CountFilter, signal: AbortSignal): Promise<readonly CountedValue[]>;
  /** Undefined where a gateway does not show it. */
  version(signal: AbortSignal): Promise<string | undefined>;
}

type Params = Readonly<Record<string, string>>;

/** Client of the HTTP API. Every method throws `BackendError` with the query, the window and what to do. */
export function createLokiApi(access: BackendAccess): LokiApi {
  const backend = createBackend(LOKI, access);
  const send = (path: string, params: Params, asked: string, signal: AbortSignal) =>
    askPatiently(backend, { path: `/loki/api/v1${path}?${new URLSearchParams(params).toString()}` }, asked, signal);
  const read = <T>(schema: z.ZodType<T>, answer: HttpAnswer, asked: string): T =>
    readAnswer(backend, schema, answer, asked, reasonOf);
  const ask = async <T>(schema: z.ZodType<T>, path: string, params: Params, asked: string, signal: AbortSignal) =>
    read(schema, await send(path, params, asked, signal), asked);
  /** For pages that not every version and gateway has. */
  const askIfThere = async <T>(...[schema, path, params, asked, signal]: Parameters<typeof ask<T>>) => {
    const answer = await send(path, params, asked, signal);
    return NOT_THERE.has(answer.status) ? undefined : read(schema, answer, asked);
  };

  const values = async (label: string, { fields, ...window }: CountFilter, signal: AbortSignal) => {
    const params = { ...rangeOf(window), ...(fields.length > 0 ? { query: selector(fields) } : {}) };
    const asked = `the values of the label ${label} ${windowInWords(window)}.`;
    const { data } = await ask(Names, `/label/${encodeURIComponent(label)}/values`, params, asked, signal);
    return (data ?? []).map((value) => ({ value }));
  };

  return {
    streams: (logql, window, limit, signal) => {
      const params = { query: logql, ...rangeOf(window), limit: String(limit), direction: 'backward' };
      const asked = `${clip(logql, 500)} ${windowInWords(window)}, the last ${limit} lines.`;
      return ask(Streams, '/query_range', params, asked, signal);
    },
    labels: async (window, signal) => {
      const { data } = await ask(
        Names,
        '/labels',
        rangeOf(window),
        `the names of labels ${windowInWords(window)}.`,
        signal,
      );
      return new Set(data ?? []);
    },
    async volumes(label, filter, signal) {
      const fields = filter.fields.length > 0 ? filter.fields : [{ field: label, set: true }];
      const params = { query: selector(fields), ...rangeOf(filter), targetLabels: label, limit: String(MOST_VALUES) };
      const asked = `the volume of ${clip(selector(fields), 500)} by ${label} ${windowInWords(filter)}.`;
      const answer = await askIfThere(Volumes, '/index/volume', params, asked, signal);
      const counted = (answer?.data.result ?? []).flatMap(({ metric, value }) => {
        const name = metric[label];
        return name === undefined ? [] : [{ value: name, size: Number(value[1]) }];
      });
      // Old kinds of index count nothing, and a limit may switch it off.
      return counted.length > 0 ? counted : values(label, filter, signal);
    },
    async version(signal) {
      const asked = 'the build information.';
      const answer = await askIfThere(BuildInfo, '/status/buildinfo', {}, asked, signal);
      return answer?.version;
    },
  };
}

function rangeOf({ fromNs, untilNs }: LogWindow): Params {
  return { start: String(fromNs), end: String(untilNs) };
}

/** Errors are plain text; some gateways put them into JSON. */
function reasonOf(body: string): string {
  const parsed = parseJson(body);
  if (typeof parsed !== 'object' || parsed === null) return body;
  const { message, error } = parsed as { readonly message?: unknown; readonly error?: unknown };
  return [message, error].find((text) => typeof text === 'string') ?? body;
}

import { z } from 'zod';
import { clip } from '../../policy/untrusted.ts';
import type { BackendAccess } from '../backend/access.ts';
import { createBackend, parseJson, type BackendName } from '../backend/ask-backend.ts';
import { BackendError } from '../backend/backend-error.ts';
import { askPatiently, refuseFailure } from '../logs/ask-patiently.ts';
import { windowInWords, type LogFieldNames, type LogLine, type LogSource } from '../logs/log-source.ts';
import { toRecord } from '../logs/to-record.ts';
import { parseIsoNs, toLogsql } from './logsql.ts';

/** How this server is named in messages. */
const VICTORIALOGS = {
  provider: 'victorialogs',
  prefix: 'VICTORIALOGS',
  api: 'a VictoriaLogs API',
  urlHint: 'it ends before /select/logsql',
  items: 'lines',
} as const satisfies BackendName;

const PAGE_LINES = 5000;
/** Values asked for of one field. */
const MOST_VALUES = 500;

const ValuesWithHits = z.object({ values: z.array(z.object({ value: z.string(), hits: z.number() })) });
/** What is behind a record as text: VictoriaLogs keeps all fields as strings. */
const Row = z.record(z.string(), z.string());

/** The lines of a VictoriaLogs (docs.victoriametrics.com/victorialogs/querying). */
export function createVictoriaLogsSource(access: BackendAccess, names: LogFieldNames): LogSource {
  const backend = createBackend(VICTORIALOGS, access);

  const send = async (page: string, params: Readonly<Record<string, string>>, asked: string, signal: AbortSignal) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    // Else the server goes on reading what nobody waits for any more.
    const timeout = `${Math.ceil(access.timeoutMs / 1000)}s`;
    const body = new URLSearchParams({ ...params, timeout }).toString();
    const path = `/select/logsql/${page}`;
    const answer = await askPatiently(backend, { path, method: 'POST', headers, body }, asked, signal);
    refuseFailure(backend, answer, asked);
    return answer;
  };

  const values = async (page: string, params: Readonly<Record<string, string>>, asked: string, signal: AbortSignal) => {
    const answer = await send(page, params, asked, signal);
    const parsed = ValuesWithHits.safeParse(parseJson(answer.body));
    if (!parsed.success) throw backend.foreign(answer, asked);
    return parsed.data.values.filter(({ value }) => value !== '');
  };

  return {
    name: VICTORIALOGS,
    sizeUnit: 'lines',
    tickNs: 1n,
    pageLines: PAGE_LINES,
    whenEmpty: 'check the tenant (AccountID, ProjectID in VICTORIALOGS_HEADERS) and what is collected',
    everything: () => [[]],
    async fieldsIn(window, signal) {
      const query = toLogsql({ ...window, fields: [] }, []);
      const asked = `the names of fields ${windowInWords(window)}.`;
      return new Set((await values('field_names', { query }, asked, signal)).map(({ value }) => value));
    },
    async countBy(field, filter, signal) {
      const query = toLogsql(filter, []);
      const asked = `the values of ${field} for ${clip(query, 600)}.`;
      const found = await values('field_values', { query, field, limit: String(MOST_VALUES) }, asked, signal);
      // Over the limit the server counts no more.
      return found.map(({ value, hits }) => (hits > 0 ? { value, size: hits } : { value }));
    },
    async readPage(filter, limit, signal) {
      const query = `${toLogsql(filter, names.level)} | sort by (_time) desc | limit ${limit}`;
      const asked = `${clip(query, 600)}.`;
      const answer = await send('query', { query }, asked, signal);
      const { lines, broken } = readRows(answer.body, names);
      // A page of something else is not told by its status.
      if (broken > 0 && lines.length === 0) throw backend.foreign(answer, asked);
      const notes = broken > 0 ? [`${broken} rows of an answer could not be read`] : [];
      const oldest = lines.length + broken >= limit ? lines.at(-1) : undefined;
      return { lines, ...(oldest ? { reachedNs: oldest.timeNs } : {}), notes };
    },
    async describe(signal) {
      try {
        const { body } = await backend.send({ path: '/metrics' }, 'the version.', signal);
        const version = /\bshort_version="v?([\d.]+)"/.exec(body)?.[1];
        return version === undefined ? undefined : `VictoriaLogs ${version}`;
      } catch (error) {
        // Proxies rarely let this page through; what is wrong with the server itself is told by the next question.
        if (error instanceof BackendError) return undefined;
        throw error;
      }
    },
  };
}

/** One JSON object a line, newest first. */
function readRows(body: string, names: LogFieldNames): { readonly lines: LogLine[]; readonly broken: number } {
  const lines: LogLine[] = [];
  let broken = 0;
  for (const text of body.split('\n')) {
    if (text.trim() === '') continue;
    const row = Row.safeParse(parseJson(text));
    const timeNs = row.success ? parseIsoNs(row.data['_time'] ?? '') : undefined;
    if (!row.success || timeNs === undefined) {
      broken += 1;
      continue;
    }
    const record = toRecord(timeNs, row.data['_msg'] ?? '', names, (field) => row.data[field]);
    lines.push({ timeNs, key: text, rank: text, record });
  }
  return { lines, broken };
}

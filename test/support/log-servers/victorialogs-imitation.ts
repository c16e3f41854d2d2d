import {
  startHttpImitation,
  text,
  json,
  type AskedOfServer,
  type HttpImitation,
  type PlainReply,
} from '../http-imitation.ts';
import { fieldsOf, newestFirst, re2, within, type WrittenLine } from './written-lines.ts';

export interface VictoriaLogsRules {
  /** The only tenant with lines: `accountID:projectID`, default `0:0`. Others are empty, not refused. */
  readonly tenant?: string;
}

type Row = Readonly<Record<string, string>>;
type Matches = (row: Row) => boolean;

/** The query API of VictoriaLogs over lines in memory, as strict as the real one with what it demands (see test/integration/log-servers.test.ts). */
export function startVictoriaLogsImitation(
  lines: readonly WrittenLine[],
  { tenant = '0:0' }: VictoriaLogsRules = {},
): Promise<HttpImitation> {
  const rows = newestFirst(lines).map((line) => {
    const row: Row = {
      _msg: line.message,
      _stream: `{service=${JSON.stringify(line.service)}}`,
      _stream_id: line.service,
      _time: timeText(line.timeNs),
      ...fieldsOf(line),
    };
    return { row, timeNs: line.timeNs };
  });

  const answer = ({ path, params, headers }: AskedOfServer): PlainReply => {
    const { account = '0', project = '0' } = { account: headers['accountid'], project: headers['projectid'] };
    const own = `${String(account)}:${String(project)}` === tenant ? rows : [];
    if (!path.startsWith('/select/logsql/')) return text(`unsupported path requested: "${path}"`, 400);
    const query = params.get('query');
    if (!query) return text('missing `query` arg', 400);
    const parsed = parseLogsql(query);
    if (typeof parsed === 'string') return text(`cannot parse \`query\` arg [${query}]: ${parsed}`, 400);
    const inWindow = within(own, ({ timeNs }) => timeNs, parsed.fromNs, parsed.untilNs);
    const found = inWindow.filter(({ row }) => parsed.matches(row)).slice(0, parsed.limit);
    if (path.endsWith('/query'))
      return { status: 200, body: found.map(({ row }) => `${JSON.stringify(row)}\n`).join('') };
    const values = path.endsWith('/field_names')
      ? found.flatMap(({ row }) => Object.keys(row))
      : found.map(({ row }) => row[params.get('field') ?? ''] ?? '');
    const hits = new Map<string, number>();
    for (const value of values) hits.set(value, (hits.get(value) ?? 0) + 1);
    return json({ values: [...hits].map(([value, count]) => ({ value, hits: count })) });
  };
  return startHttpImitation((request) => {
    if (request.path === '/metrics') return text('vm_app_version{short_version="v1.52.2"} 1\n', 200);
    return answer(request);
  });
}

function timeText(ns: bigint): string {
  const seconds = new Date(Number(ns / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  const fraction = String(ns % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${seconds}${fraction && `.${fraction}`}Z`;
}

const TOKEN =
  /^\s*(?:(_time):\[([^,\s]+),\s*([^)\s]+)\)|("(?:[^"\\\n]|\\.)*"|\w+):(?:(\*)|~("(?:[^"\\\n]|\\.)*")|in\(([^)]*(?:"(?:[^"\\\n]|\\.)*"[^)]*)*)\))|([()!])|(or)\b|(\|))/;

interface ParsedQuery {
  readonly matches: Matches;
  readonly fromNs: bigint;
  readonly untilNs: bigint;
  readonly limit: number;
}

/** Filters joined by blanks and `or`, with `!` and brackets, and the pipes that pick the newest. A text is the error. */
function parseLogsql(query: string): ParsedQuery | string {
  let rest = query;
  // As the providers write it, the one filter of time stands in front.
  let [fromNs, untilNs] = [0n, 2n ** 63n];
  const next = () => TOKEN.exec(rest);
  const take = (length: number) => {
    rest = rest.slice(length);
  };
  const parseOr = (): Matches => {
    const all = [parseAnd()];
    for (let token = next(); token?.[9] !== undefined; token = next()) {
      take(token[0].length);
      all.push(parseAnd());
    }
    return (row) => all.some((matches) => matches(row));
  };
  const parseAnd = (): Matches => {
    const all: Matches[] = [];
    for (
      let token = next();
      token && token[9] === undefined && token[10] === undefined && token[8] !== ')';
      token = next()
    )
      all.push(parseOne());
    if (all.length === 0) throw new SyntaxError(`missing filter; context: [${rest}]`);
    return (row) => all.every((matches) => matches(row));
  };
  const parseOne = (): Matches => {
    const token = next();
    if (!token) throw new SyntaxError(`unexpected token; context: [${rest}]`);
    const [whole, time, from = '', until = '', field = '', any, pattern, values, sign] = token;
    take(whole.length);
    if (sign === '!') {
      const matches = parseOne();
      return (row) => !matches(row);
    }
    if (sign === '(') {
      const matches = parseOr();
      const end = next();
      if (end?.[8] !== ')') throw new SyntaxError(`missing ')'; context: [${rest}]`);
      take(end[0].length);
      return matches;
    }
    if (time) {
      [fromNs, untilNs] = [nsOf(from), nsOf(until)];
      return () => true;
    }
    const name = field.startsWith('"') ? (JSON.parse(field) as string) : field;
    if (any) return (row) => (row[name] ?? '') !== '';
    if (pattern !== undefined) {
      const expression = re2(JSON.parse(pattern) as string);
      return (row) => expression.test(row[name] ?? '');
    }
    const wanted = JSON.parse(`[${values ?? ''}]`) as string[];
    return (row) => wanted.includes(row[name] ?? '');
  };
  try {
    const matches = parseOr();
    const pipes = /^\s*(?:\| sort by \(_time\) desc \| limit (\d+))?$/.exec(rest);
    if (!pipes) return `unexpected pipe or token; context: [${rest}]`;
    return { matches, fromNs, untilNs, limit: pipes[1] === undefined ? Infinity : Number(pipes[1]) };
  } catch (error) {
    return String(error);
  }
}

function nsOf(iso: string): bigint {
  const [seconds = '', fraction = ''] = iso.replace('Z', '').split('.');
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

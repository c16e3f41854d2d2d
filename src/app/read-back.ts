import { styleText } from 'node:util';
import type { Config } from '../config/schema.ts';
import type { DeliveryRecord } from '../domain/delivery.ts';
import { duration } from '../domain/relative-time.ts';
import type { Session } from '../domain/session.ts';
import { createDestinations } from '../destinations/index.ts';
import { silentLogger } from '../platform/logger.ts';
import type { RedisTarget } from '../platform/redis.ts';
import { oneLine, sanitize } from '../policy/untrusted.ts';
import { createDeliveries } from '../queue/deliveries/deliveries.ts';
import { createReportStore, type ReportStore } from '../sessions/report-store.ts';
import { connectOnce, openRedis } from './open-redis.ts';
import { printReport } from './print-report.ts';

const LIST_LIMIT = 50;

export interface ReadRequest {
  readonly what: 'reports' | 'sessions';
  readonly id?: string;
  readonly json: boolean;
  readonly colour: boolean;
}

/** What `rootnote reports` and `rootnote sessions` print; undefined when there is nothing under that id. Throws RedisUnreachable. */
export async function readBack(
  config: Config,
  request: ReadRequest,
  say: (line: string) => void,
): Promise<string | undefined> {
  const opened = await openRedis(config, say);
  try {
    const redis = await connectOnce(opened.target);
    const store = createReportStore(redis, config.REDIS_PREFIX);
    try {
      if (request.id === undefined) return await list(store, request);
      return request.what === 'reports'
        ? await showReport(store, config, opened.target, request.id, request)
        : await showSession(store, request.id, request);
    } finally {
      redis.disconnect();
    }
  } finally {
    await opened.stop();
  }
}

async function list(store: ReportStore, { what, json }: ReadRequest): Promise<string> {
  const rows = what === 'reports' ? await store.listReports(LIST_LIMIT) : await store.listSessions(LIST_LIMIT);
  if (json) return `${JSON.stringify(rows, null, 2)}\n`;
  if (rows.length === 0) return `No ${what} yet.\n`;
  return rows
    .map((row) =>
      'generatedAt' in row
        ? `${row.generatedAt}  ${row.id}  ${row.status} ${row.confidence.toFixed(2)}  ${row.title}: ${row.summary}\n`
        : `${new Date(row.startedAtMs).toISOString()}  ${row.id}  ${row.terminationReason}, ${row.usage.turns} turns, ${duration(row.finishedAtMs - row.startedAtMs)}\n`,
    )
    .join('');
}

async function showReport(
  store: ReportStore,
  config: Config,
  redisTarget: RedisTarget,
  id: string,
  { json, colour }: ReadRequest,
): Promise<string | undefined> {
  const report = await store.getReport(id);
  if (!report) return undefined;
  if (json) return `${JSON.stringify(report, null, 2)}\n`;
  const deliveries = await createDeliveries({
    redisTarget,
    prefix: config.REDIS_PREFIX,
    destinations: createDestinations(config),
    loadContent: () => Promise.resolve(undefined),
    redact: (text) => text,
    log: silentLogger(),
  });
  try {
    const records = await deliveries.records(report.incident.id);
    return `${printReport(report, { colour })}\n${records.map(deliveryLine).join('')}`;
  } finally {
    await deliveries.close(1000);
  }
}

function deliveryLine(record: DeliveryRecord): string {
  const attempts = record.attempts === 1 ? '1 attempt' : `${record.attempts} attempts`;
  const reason = record.reason === undefined ? '' : `, ${oneLine(record.reason)}`;
  return `${record.destination}: ${record.content} ${record.state} (${attempts}${reason})\n`;
}

async function showSession(store: ReportStore, id: string, { json, colour }: ReadRequest): Promise<string | undefined> {
  const session = await store.getSession(id);
  if (!session) return undefined;
  return json ? `${JSON.stringify(session, null, 2)}\n` : printSession(session, colour);
}

/** The brief, then every message and tool call in order, each with its time since the start. */
export function printSession(session: Session, colour: boolean): string {
  const bold = (text: string) => (colour ? styleText('bold', text) : text);
  const { usage } = session;
  const head = [
    bold(session.id),
    `ended: ${session.terminationReason} after ${duration(session.finishedAtMs - session.startedAtMs)}, ${usage.turns} turns, ` +
      `${usage.inputTokens + usage.cacheReadTokens} tokens in, ${usage.outputTokens} out`,
    '',
    bold('Brief'),
    sanitize(session.brief),
  ];
  const entries = session.entries.flatMap((entry) => {
    const at = `+${duration(entry.atMs - session.startedAtMs)}`;
    const tool = entry.tool
      ? oneLine(` ${entry.tool.name} ${JSON.stringify(entry.tool.input)}${entry.tool.isError ? ' FAILED' : ''}`)
      : '';
    return ['', bold(`${at} ${entry.role} ${tool}`.trimEnd()), sanitize(entry.text)];
  });
  return `${[...head, ...entries].join('\n')}\n`;
}

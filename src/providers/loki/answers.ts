import { z } from 'zod';
import { toRecord } from '../logs/to-record.ts';
import type { LogFieldNames, LogLine } from '../logs/log-source.ts';

/** Answers of the HTTP API (grafana.com/docs/loki/latest/reference/loki-http-api). Read permissively: gateways and versions add fields. */
export const Streams = z.object({
  data: z.object({
    resultType: z.literal('streams'),
    result: z.array(z.object({ stream: z.record(z.string(), z.string()), values: z.array(z.unknown()) })).nullish(),
  }),
});
export type Streams = z.infer<typeof Streams>;

/** `data` is missing where there is none. */
export const Names = z.object({ status: z.literal('success'), data: z.array(z.string()).nullish() });

export const Volumes = z.object({
  data: z.object({
    result: z
      .array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) }))
      .nullish(),
  }),
});

export const BuildInfo = z.object({ version: z.string() });

/** All lines, newest first; of one time in the order in which the server gave them. */
export function linesOf(streams: Streams, names: LogFieldNames): LogLine[] {
  const lines: LogLine[] = [];
  for (const { stream, values } of streams.data.result ?? []) {
    const origin = JSON.stringify(Object.entries(stream).sort(([a], [b]) => (a < b ? -1 : 1)));
    for (const value of values) {
      if (!Array.isArray(value)) continue;
      const [time, text, more] = value as readonly unknown[];
      if (typeof time !== 'string' || !/^\d{1,19}$/.test(time) || typeof text !== 'string') continue;
      const timeNs = BigInt(time);
      const own = metadataOf(more);
      const record = toRecord(timeNs, text, names, (field) => textOf(own[field]) ?? known(stream[field]));
      lines.push({ timeNs, key: `${origin}\n${text}`, record });
    }
  }
  return lines.sort((a, b) => (a.timeNs === b.timeNs ? 0 : a.timeNs < b.timeNs ? 1 : -1));
}

/** Names of everything that lines carry: labels of their streams, and their own metadata. */
export function fieldsOf(streams: Streams): ReadonlySet<string> {
  const all = new Set<string>();
  for (const { stream, values } of streams.data.result ?? []) {
    for (const name of Object.keys(stream)) all.add(name);
    for (const value of values) {
      if (Array.isArray(value)) for (const name of Object.keys(metadataOf(value[2]))) all.add(name);
    }
  }
  return all;
}

/** The third element: structured metadata, by itself or among other categories. */
function metadataOf(more: unknown): Readonly<Record<string, unknown>> {
  if (typeof more !== 'object' || more === null) return {};
  const { structuredMetadata, parsed, ...plain } = more as Readonly<Record<string, unknown>>;
  return { ...plain, ...(parsed as object | undefined), ...(structuredMetadata as object | undefined) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? known(value) : undefined;
}

/** What Loki writes where it could not tell counts as not set. */
function known(value: string | undefined): string | undefined {
  return value === 'unknown' || value === 'unknown_service' ? undefined : value;
}

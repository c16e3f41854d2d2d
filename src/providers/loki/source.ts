import { BackendError } from '../backend/backend-error.ts';
import type { FieldMatch, LineFilter, LinePage, LogFieldNames, LogSource, LogWindow } from '../logs/log-source.ts';
import { fieldsOf, linesOf } from './answers.ts';
import { LOKI, type LokiApi } from './api.ts';
import { lengthLimit, linesLimit } from './limits.ts';
import { toLogql } from './logql.ts';

/** Loki's default for `max_entries_limit_per_query`; a lower one is learned from its refusal. */
const PAGE_LINES = 5000;
/** On every stream of Loki 3, whichever other labels it has. */
const ON_EVERY_STREAM = 'service_name';

/** The lines of a Loki. Its limits for the number of lines and the length of a window are learned as they are met. */
export function createLokiSource(api: LokiApi, names: LogFieldNames): LogSource {
  const levels = findLevels(api, names);
  let mostLines = PAGE_LINES;

  const readLines = async (
    logql: string,
    filter: LineFilter,
    wanted: number,
    signal: AbortSignal,
  ): Promise<LinePage> => {
    const limit = Math.min(wanted, mostLines);
    try {
      const lines = linesOf(await api.streams(logql, filter, limit, signal), names);
      const oldest = lines.length >= limit ? lines.at(-1) : undefined;
      return { lines, ...(oldest ? { reachedNs: oldest.timeNs } : {}), notes: [] };
    } catch (error) {
      const allowed = error instanceof BackendError ? linesLimit(error.problem) : undefined;
      if (allowed === undefined || allowed >= limit) throw error;
      mostLines = allowed;
      return readLines(logql, filter, allowed, signal);
    }
  };

  return {
    name: LOKI,
    sizeUnit: 'bytes',
    tickNs: 1n,
    pageLines: PAGE_LINES,
    whenEmpty: 'check the tenant (X-Scope-OrgID in LOKI_HEADERS) and what is collected',
    everything,
    fieldsIn: (window, signal) => withinLimit(window, (allowed) => api.labels(allowed, signal)),
    countBy: (field, filter, signal) => withinLimit(filter, (allowed) => api.volumes(field, allowed, signal)),
    readPage: (filter, limit, signal) =>
      withinLimit(filter, async (allowed) => {
        const level = filter.telling === undefined ? undefined : await levels(allowed, signal);
        const page = await readLines(toLogql(allowed, level), allowed, limit, signal);
        if (allowed.fromNs === filter.fromNs) return page;
        const days = Number((allowed.untilNs - allowed.fromNs) / 3_600_000_000_000n) / 24;
        const note = `the server allows no longer window than ${days.toFixed(1)} days: only its end was read`;
        return { ...page, notes: [note] };
      }),
    async describe(signal) {
      const version = await api.version(signal);
      // Who builds it without a version has an empty one.
      return version === undefined ? undefined : `Loki ${version || 'of unknown version'}`;
    },
  };
}

/** The answer for a window; where Loki allows no such long one, for as much of its end as it allows. */
async function withinLimit<W extends LogWindow, T>(window: W, ask: (allowed: W) => Promise<T>): Promise<T> {
  try {
    return await ask(window);
  } catch (error) {
    const longestNs = error instanceof BackendError ? lengthLimit(error.problem) : undefined;
    const fromNs = window.untilNs - (longestNs ?? 0n);
    if (longestNs === undefined || fromNs <= window.fromNs) throw error;
    return ask({ ...window, fromNs });
  }
}

/** A selector needs a label that is set: the one that every stream has, else by turns each of those that name a service. */
function everything(serviceFields: readonly string[]): readonly (readonly FieldMatch[])[] {
  if (serviceFields.includes(ON_EVERY_STREAM)) return [[{ field: ON_EVERY_STREAM, set: true }]];
  return serviceFields
    .slice(0, 3)
    .map((field, place) => [
      ...serviceFields.slice(0, place).map((other) => ({ field: other, set: false })),
      { field, set: true },
    ]);
}

/** So many of the newest lines tell whether lines have a level. */
const PROBE_LINES = 100;
const KNOWN_FOR_MS = 300_000;

/**
 * Which label or structured metadata holds the level of lines, if any: `detected_level` since Loki 3, and only where that is not switched off. Told from
 * some lines and kept for a while: what tells errors from others must be the same for both.
 */
function findLevels(api: LokiApi, names: LogFieldNames) {
  let known: { readonly field: string | undefined; readonly untilMs: number } | undefined;
  return async ({ fields, fromNs, untilNs }: LineFilter, signal: AbortSignal): Promise<string | undefined> => {
    if (known && performance.now() < known.untilMs) return known.field;
    const probe = await api.streams(toLogql({ fields }, undefined), { fromNs, untilNs }, PROBE_LINES, signal);
    const there = fieldsOf(probe);
    // Without a line there is nothing to tell, and nothing to know it for.
    if (there.size === 0) return undefined;
    const stillKnown = known && performance.now() < known.untilMs ? known : undefined;
    known = stillKnown ?? {
      field: names.level.find((name) => there.has(name)),
      untilMs: performance.now() + KNOWN_FOR_MS,
    };
    return known.field;
  };
}

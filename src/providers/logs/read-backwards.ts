import type { LogRecord } from '../../domain/telemetry.ts';
import { HttpRequestError } from '../../platform/http-request.ts';
import { BackendError } from '../backend/backend-error.ts';
import { toMs, type LineFilter, type LinePage, type LogLine, type LogSource } from './log-source.ts';

/** How far a filter has been read. Starts with `startReading`; every step gives a new one. */
export interface ReadingPlace {
  readonly filter: LineFilter;
  /** Lines that were read at the last time reached, by key: they come again with the next page. */
  readonly seen: ReadonlyMap<string, number>;
  readonly edgeNs: bigint | undefined;
  readonly done: boolean;
  /** Most lines a page: smaller after an answer that was too large. */
  readonly pageLines: number;
}

export interface LinesRead {
  readonly lines: readonly LogLine[];
  readonly place: ReadingPlace;
  readonly characters: number;
  readonly notes: readonly string[];
}

/** After so many pages the caller gets what there is by then. */
const MOST_PAGES = 40;
/** An answer with fewer lines than this is not asked for in smaller parts. */
const SMALLEST_PAGE = 20;

export function startReading(source: LogSource, filter: LineFilter): ReadingPlace {
  const done = filter.untilNs <= filter.fromNs;
  return { filter, seen: new Map(), edgeNs: undefined, done, pageLines: source.pageLines };
}

/**
 * The next lines from a place on, newest first, in pages: about `most`, fewer when no more are left. Servers page by time only, so each page begins
 * with the time the last one ended with, and what was seen of it is left out: no line is lost or doubled, however many share a time. Only more of one
 * time than a page holds cannot be told apart; that is noted.
 */
export async function readOn(
  source: LogSource,
  start: ReadingPlace,
  most: number,
  signal: AbortSignal,
): Promise<LinesRead> {
  const lines: LogLine[] = [];
  const notes: string[] = [];
  let characters = 0;
  let place = start;
  for (let pages = 0; !place.done && lines.length < most; pages += 1) {
    if (pages === MOST_PAGES) {
      notes.push(`looked no further back than ${new Date(toMs(place.filter.untilNs)).toISOString()}`);
      break;
    }
    const { page: answer, limit, pageLines } = await askForPage(source, place, most - lines.length, signal);
    const page = withinWindow(answer, place.filter);
    if (page.lines.length < answer.lines.length) notes.push(OUTSIDE);
    const fresh = withoutSeen(page.lines, place.seen);
    for (const line of fresh) lines.push(line);
    characters += fresh.reduce((sum, { record }) => sum + sizeOf(record), 0);
    notes.push(...page.notes);
    const isStuck = fresh.length === 0 && page.reachedNs !== undefined && page.reachedNs === place.edgeNs;
    if (isStuck) notes.push(`more than ${limit} lines have one and the same time; the others of them were not read.`);
    place = nextPlace(source, { ...place, pageLines }, page, isStuck);
  }
  return { lines, place, characters, notes: [...new Set(notes)] };
}

const OUTSIDE = 'the server gave lines outside of the time asked for, which were left out; others may be missing.';

/** The page without lines of another time: a server or a proxy that does not heed the window would give them again with every page, without an end. */
function withinWindow(page: LinePage, { fromNs, untilNs }: LineFilter): LinePage {
  const lines = page.lines.filter(({ timeNs }) => timeNs >= fromNs && timeNs < untilNs);
  const { reachedNs, ...rest } = page;
  return { ...rest, lines, ...(reachedNs !== undefined && reachedNs < untilNs ? { reachedNs } : {}) };
}

/** A line as text: with the time in front of it. */
function sizeOf({ service, level, message }: LogRecord): number {
  return TIME_CHARACTERS + service.length + level.length + message.length;
}
const TIME_CHARACTERS = '2026-01-01T00:00:00.000Z'.length;

/** One page; of an answer that is too large, fewer lines. */
async function askForPage(
  source: LogSource,
  { filter, seen, pageLines }: ReadingPlace,
  wanted: number,
  signal: AbortSignal,
): Promise<{ readonly page: LinePage; readonly limit: number; readonly pageLines: number }> {
  const again = [...seen.values()].reduce((sum, count) => sum + count, 0);
  let most = pageLines;
  for (;;) {
    const limit = Math.min(most, wanted + again);
    try {
      return { page: await source.readPage(filter, limit, signal), limit, pageLines: most };
    } catch (error) {
      if (!isTooLarge(error) || limit <= SMALLEST_PAGE) throw error;
      most = Math.max(SMALLEST_PAGE, Math.floor(limit / 4));
    }
  }
}

function isTooLarge(error: unknown): boolean {
  if (!(error instanceof BackendError)) return false;
  return error.cause instanceof HttpRequestError && error.cause.failure === 'too-large';
}

/** The lines but for those seen before. Of lines with the same key as many are left out as were seen. */
function withoutSeen(lines: readonly LogLine[], seen: ReadonlyMap<string, number>): readonly LogLine[] {
  if (seen.size === 0) return lines;
  const left = new Map(seen);
  return lines.filter(({ key }) => {
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return count === 0;
  });
}

function nextPlace(source: LogSource, place: ReadingPlace, page: LinePage, isStuck: boolean): ReadingPlace {
  const { reachedNs } = page;
  if (reachedNs === undefined) return { ...place, done: true };
  const untilNs = isStuck ? reachedNs : reachedNs + source.tickNs;
  const filter = { ...place.filter, untilNs };
  const done = untilNs <= filter.fromNs;
  if (isStuck) return { ...place, filter, seen: new Map(), edgeNs: undefined, done };
  const seen = new Map(reachedNs === place.edgeNs ? place.seen : []);
  for (const [key, count] of countKeys(page.lines, reachedNs)) seen.set(key, Math.max(count, seen.get(key) ?? 0));
  return { ...place, filter, seen, edgeNs: reachedNs, done };
}

function countKeys(lines: readonly LogLine[], timeNs: bigint): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) if (line.timeNs === timeNs) counts.set(line.key, (counts.get(line.key) ?? 0) + 1);
  return counts;
}

/** In the order of time; those of one time by where they come from, and of one origin as they were written. */
export function oldestFirst(newestFirst: readonly LogLine[]): LogLine[] {
  return [...newestFirst].reverse().sort((a, b) => {
    if (a.timeNs !== b.timeNs) return a.timeNs < b.timeNs ? -1 : 1;
    return compare(a.record.service, b.record.service) || compare(a.rank ?? '', b.rank ?? '');
  });
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

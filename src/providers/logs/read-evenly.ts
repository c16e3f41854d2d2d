import pLimit from 'p-limit';
import type { Ledger } from '../backend/ledger.ts';
import type { LogLine, LogSource, LogWindow } from './log-source.ts';
import type { LogPart } from './plan-parts.ts';
import { readOn, startReading, type ReadingPlace } from './read-backwards.ts';

/** Questions under way at the same time: an investigation must not be the next load spike. */
const PARALLEL = 4;
/** In each round the parts that had more share what the others have left over. */
const MOST_ROUNDS = 6;

/** What was read, and how much of it is not all. */
export interface EvenReading {
  readonly lines: readonly LogLine[];
  /** Parts of the plan that held more than was read. */
  readonly cut: number;
  /** Stretches of parts that were not read, or not to their end, because something failed or the time was over. */
  readonly unread: readonly LogWindow[];
}

interface OpenPart {
  readonly part: LogPart;
  readonly place: ReadingPlace;
  readonly lines: readonly LogLine[];
  readonly state: 'open' | 'done' | 'failed';
}

/**
 * At most about `most` lines, evenly: everything of a part that has little, and of those that have much the same amount each. Never rejects because of the
 * server or the signal: what came is returned, and the ledger knows what failed.
 */
export async function readEvenly(
  source: LogSource,
  parts: readonly LogPart[],
  most: number,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<EvenReading> {
  const limit = pLimit(PARALLEL);
  let all = parts.map((part) => openPart(source, part));
  for (let round = 0; round < MOST_ROUNDS && !signal.aborted; round += 1) {
    const open = all.filter(({ state }) => state === 'open');
    const left = most - countLines(all);
    const share = left / open.reduce((sum, { part }) => sum + part.weight, 0);
    if (open.length === 0 || left < open.length) break;
    const read = async (one: OpenPart) => {
      if (one.state !== 'open') return [one];
      return split(source, await readMore(source, one, Math.ceil(share * one.part.weight), ledger, signal));
    };
    all = (await Promise.all(all.map((one) => limit(() => read(one))))).flat();
  }
  return {
    lines: all.flatMap(({ lines }) => lines),
    cut: all.filter(({ state }) => state === 'open').length,
    unread: all.filter(({ state }) => state === 'failed').map(({ part }) => part.filter),
  };
}

function openPart(source: LogSource, part: LogPart): OpenPart {
  return { part, place: startReading(source, part.filter), lines: [], state: 'open' };
}

function countLines(all: readonly OpenPart[]): number {
  return all.reduce((sum, { lines }) => sum + lines.length, 0);
}

async function readMore(
  source: LogSource,
  one: OpenPart,
  most: number,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<OpenPart> {
  if (signal.aborted) return { ...one, state: 'failed' };
  const read = await ledger.attempt(() => readOn(source, one.place, most, signal));
  if (!read) return { ...one, state: 'failed' };
  ledger.characters += read.characters;
  for (const note of read.notes) ledger.note(note);
  return {
    ...one,
    place: read.place,
    lines: [...one.lines, ...read.lines],
    state: read.place.done ? 'done' : 'open',
  };
}

/** What is more than fits is read by service instead: else the loudest would be all that is heard. */
function split(source: LogSource, one: OpenPart): readonly OpenPart[] {
  const { finer } = one.part;
  if (one.state !== 'open' || finer.length < 2) return [one];
  return finer.map((part) => openPart(source, part));
}

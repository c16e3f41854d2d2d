import pLimit from 'p-limit';
import type { TimeWindow } from '../../domain/provider.ts';
import type { Ledger } from '../backend/ledger.ts';
import type { Sides } from './slices.ts';
import type { FoundTraces, Trace, TraceSearch, TraceServer } from './trace-server.ts';

/** Searches under way at the same time: an investigation must not be the next load spike. */
const PARALLEL = 4;

/** One kind of trace, asked for in every stretch of both sides in the same way. */
export interface Stage {
  /** In words: `failed`. */
  readonly kind: string;
  readonly services: readonly (string | undefined)[];
  /** Most traces of one stretch and service. */
  readonly each: number;
  readonly only: Pick<TraceSearch, 'failedOnly' | 'minDurationMs'>;
}

/** By stretch, in their order; undefined where the server did not answer. */
type ByStretch = readonly (readonly Trace[] | undefined)[];

export interface StageRead extends Sides<ByStretch> {
  readonly stage: Stage;
  /** Whether there were more traces than were asked for. */
  readonly hasMore: boolean;
}

/** Spans held for one incident: more of them would take hundreds of megabytes. */
export const MOST_SPANS = 300_000;

/** What all stages of one gathering share. */
export interface Reading {
  readonly server: TraceServer;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
  /** So many spans may still come; then nothing more is asked. */
  spansLeft: number;
}

/** What a stage finds; why a stretch has no answer is in the ledger. The newest are asked first. */
export async function readStage(
  reading: Reading,
  stage: Stage,
  slices: Sides<readonly TimeWindow[]>,
): Promise<StageRead> {
  const { server, ledger, signal } = reading;
  const limit = pLimit(PARALLEL);
  let hasMore = false;
  const note = (found: FoundTraces) => {
    for (const said of found.notes) ledger.note(said);
    ledger.characters += found.characters;
    hasMore ||= found.hasMore;
    reading.spansLeft -= found.traces.reduce((sum, trace) => sum + trace.length, 0);
  };
  const readOne = async (window: TimeWindow, service: string | undefined) => {
    if (reading.spansLeft <= 0) {
      ledger.note(
        `${MOST_SPANS} spans came, so no more traces were read; lower the number of traces (docs/traces.md).`,
      );
      return undefined;
    }
    const search = { ...window, ...stage.only, limit: stage.each, ...(service === undefined ? {} : { service }) };
    const found = await ledger.attempt(() => server.find(search, signal));
    if (found) note(found);
    return found?.traces;
  };
  const readStretch = async (window: TimeWindow) => {
    const answers = await Promise.all(stage.services.map((service) => limit(() => readOne(window, service))));
    const there = answers.filter((traces) => traces !== undefined);
    return there.length === answers.length ? there.flat() : undefined;
  };
  const readSide = async (windows: readonly TimeWindow[]) =>
    (await Promise.all(windows.toReversed().map(readStretch))).reverse();
  const [incident, reference] = await Promise.all([readSide(slices.incident), readSide(slices.reference)]);
  return { stage, incident, reference, hasMore };
}

import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import { NO_TELEMETRY, type Telemetry } from '../domain/telemetry.ts';
import type { DistilOptions } from '../funnel/distil.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import { capTelemetry } from '../providers/cap-telemetry.ts';
import { distilInThread, FunnelMemoryError } from './distil-in-thread.ts';

/** Each further try gets this part of everything that there may be much of: what did not fit by little then fits by far. */
const TRIES = [1, 1 / 4, 1 / 16, 1 / 64] as const;

/**
 * The funnel for a worker: in a thread, within `heapMb`, and no more threads at a time than there are processors beside the one that answers
 * webhooks. An incident that does not fit is tried again with ever smaller even parts of it, and without telemetry when even the last is too much:
 * a report that says what it lacks comes out, and the process lives on. `inThread` is what is tried.
 */
export function createBoundedDistil(heapMb: number, inThread = distilInThread): InvestigationParts['distil'] {
  const inTurn = pLimit(Math.max(1, availableParallelism() - 1));
  return (incident, telemetry, options, signal) => {
    // Starting a thread costs a hundred times what this does, and in a storm without telemetry that is all there is to do.
    if (isEmpty(telemetry)) return distilHere(incident, telemetry, options);
    return inTurn(async (): Promise<Brief> => {
      for (const share of TRIES) {
        const part = share === 1 ? telemetry : await thin(telemetry, share, incident.service, heapMb);
        try {
          return await inThread(incident, part, options, signal, heapMb);
        } catch (error) {
          if (!(error instanceof FunnelMemoryError)) throw error;
        }
      }
      return distilHere(incident, tooMuch(telemetry, heapMb), options);
    });
  };
}

/** The thread loads the funnel for itself: here it is only for next to nothing. */
async function distilHere(incident: Incident, telemetry: Telemetry, options: DistilOptions): Promise<Brief> {
  const { distil } = await import('../funnel/distil.ts');
  return distil(incident, telemetry, options);
}

/** A topology and gaps may be there: they are short. */
function isEmpty({ series, logs, spans, spanStats, events, objects, changes, reference }: Telemetry): boolean {
  const lists = [series, logs, spans, spanStats, events, objects, changes, reference.logs, reference.spans];
  return lists.every((list) => list.length === 0);
}

async function thin(
  telemetry: Telemetry,
  share: number,
  service: string | undefined,
  heapMb: number,
): Promise<Telemetry> {
  const { logs, spans, series } = telemetry;
  const part = (list: readonly unknown[]) => Math.ceil(list.length * share);
  const caps = { logLines: part(logs), spans: part(spans), series: part(series) };
  const message = `what was read does not fit into the ${heapMb} MB of the funnel, so a part of it is looked at; raise FUNNEL_MEMORY_MB`;
  const gaps = [...telemetry.gaps, { source: 'funnel', message }];
  return capTelemetry({ ...telemetry, gaps }, caps, service);
}

function tooMuch(telemetry: Telemetry, heapMb: number): Telemetry {
  const gap = {
    source: 'funnel',
    message: `the funnel needs more than ${heapMb} MB for what was read, even for a part of it: nothing was looked at; raise FUNNEL_MEMORY_MB`,
  };
  return { ...NO_TELEMETRY, gaps: [...telemetry.gaps, gap], rawCharacters: telemetry.rawCharacters };
}

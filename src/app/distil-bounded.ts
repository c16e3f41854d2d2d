import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import type { Brief } from '../domain/brief.ts';
import { NO_TELEMETRY, type Telemetry } from '../domain/telemetry.ts';
import { distil } from '../funnel/distil.ts';
import type { InvestigationParts } from '../investigate/investigate.ts';
import { capTelemetry } from '../providers/cap-telemetry.ts';
import { distilInThread, FunnelMemoryError } from './distil-in-thread.ts';

/** A second try gets this part of everything that there may be much of: what did not fit by little then fits by far. */
const SECOND_TRY = 1 / 4;

/**
 * The funnel for a worker: in a thread, within `heapMb`, and no more threads at a time than there are processors beside the one that answers
 * webhooks. An incident that does not fit is tried again with an even part of it, and without telemetry when even that is too much: a report
 * that says what it lacks comes out, and the process lives on.
 */
export function createBoundedDistil(heapMb: number): InvestigationParts['distil'] {
  const inTurn = pLimit(Math.max(1, availableParallelism() - 1));
  return (incident, telemetry, options, signal) =>
    inTurn(async (): Promise<Brief> => {
      const attempt = (part: Telemetry) => distilInThread(incident, part, options, signal, heapMb);
      try {
        return await attempt(telemetry);
      } catch (error) {
        if (!(error instanceof FunnelMemoryError)) throw error;
      }
      try {
        return await attempt(await thin(telemetry, incident.service, heapMb));
      } catch (error) {
        if (!(error instanceof FunnelMemoryError)) throw error;
        return distil(incident, tooMuch(telemetry, error), options);
      }
    });
}

async function thin(telemetry: Telemetry, service: string | undefined, heapMb: number): Promise<Telemetry> {
  const { logs, spans, series } = telemetry;
  const part = (list: readonly unknown[]) => Math.ceil(list.length * SECOND_TRY);
  const caps = { logLines: part(logs), spans: part(spans), series: part(series) };
  const message = `what was read does not fit into the ${heapMb} MB of the funnel, so a part of it is looked at; raise FUNNEL_MEMORY_MB`;
  const gaps = [...telemetry.gaps, { source: 'funnel', message }];
  return capTelemetry({ ...telemetry, gaps }, caps, service);
}

function tooMuch(telemetry: Telemetry, { message }: FunnelMemoryError): Telemetry {
  const gap = {
    source: 'funnel',
    message: `${message}, even for a part of it: nothing was looked at; raise FUNNEL_MEMORY_MB`,
  };
  return { ...NO_TELEMETRY, gaps: [...telemetry.gaps, gap], rawCharacters: telemetry.rawCharacters };
}

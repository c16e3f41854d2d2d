import { startHttpImitation, type AskedOfServer, type HttpImitation, type PlainReply } from '../http-imitation.ts';
import type { TestSpan } from './test-spans.ts';

/** A server of traces on loopback. */
export interface TraceTestServer {
  readonly url: string;
  load(spans: readonly TestSpan[]): Promise<void>;
  stop(): Promise<void>;
}

export type TraceImitation = TraceTestServer & HttpImitation;

/** An imitation whose answers `answer` gives from the spans that were loaded. */
export async function startTraceImitation(
  answer: (asked: AskedOfServer, traces: ReadonlyMap<string, LoadedTrace>) => PlainReply,
): Promise<TraceImitation> {
  const traces = new Map<string, LoadedTrace>();
  const server = await startHttpImitation((asked) => answer(asked, traces));
  return {
    ...server,
    load: (more) => {
      addSpans(traces, more);
      return Promise.resolve();
    },
  };
}

/** A trace as it was loaded, with when it begins and ends. */
export interface LoadedTrace {
  readonly id: string;
  readonly spans: TestSpan[];
  startUs: number;
  endUs: number;
}

/** Adds the spans to their traces. */
export function addSpans(traces: Map<string, LoadedTrace>, spans: readonly TestSpan[]): void {
  for (const span of spans) {
    const empty = { id: span.traceId, spans: [], startUs: Infinity, endUs: -Infinity };
    const trace: LoadedTrace = traces.get(span.traceId) ?? empty;
    traces.set(span.traceId, trace);
    trace.spans.push(span);
    trace.startUs = Math.min(trace.startUs, span.startUs);
    trace.endUs = Math.max(trace.endUs, span.startUs + span.durationUs);
  }
}

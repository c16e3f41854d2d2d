import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestSpan } from './test-spans.ts';

/** A server of traces on loopback. */
export interface TraceTestServer {
  readonly url: string;
  load(spans: readonly TestSpan[]): Promise<void>;
  stop(): Promise<void>;
}

export interface AskedOfTraces {
  readonly method: string;
  readonly path: string;
  readonly params: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

export type TraceReply =
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  /** Never answers. */
  | 'hang';

export interface TraceImitation extends TraceTestServer {
  readonly asked: readonly AskedOfTraces[];
  /** Answers instead of it where it is not undefined; until the next call. */
  interfere(reply: (asked: AskedOfTraces) => TraceReply | undefined): void;
}

/** An imitation whose answers `answer` gives from the spans that were loaded. */
export async function startTraceImitation(
  answer: (asked: AskedOfTraces, traces: ReadonlyMap<string, LoadedTrace>) => TraceReply,
): Promise<TraceImitation> {
  const asked: AskedOfTraces[] = [];
  const traces = new Map<string, LoadedTrace>();
  let interference: (asked: AskedOfTraces) => TraceReply | undefined = () => undefined;
  const server = createServer((request, response) => {
    const question = read(request);
    asked.push(question);
    send(response, interference(question) ?? answer(question, traces));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    load: (more) => {
      addSpans(traces, more);
      return Promise.resolve();
    },
    interfere: (reply) => {
      interference = reply;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function read(request: IncomingMessage): AskedOfTraces {
  const url = new URL(request.url ?? '/', 'http://imitation');
  return { method: request.method ?? '', path: url.pathname, params: url.searchParams, headers: request.headers };
}

function send(response: ServerResponse, reply: TraceReply): void {
  if (reply === 'hang') return;
  response.writeHead(reply.status, reply.headers ?? { 'content-type': 'application/json' }).end(reply.body);
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

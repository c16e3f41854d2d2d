import type { Span } from '../../domain/telemetry.ts';
import type { CitedLine } from './cited-line.ts';
import { durationText, momentText } from './moments.ts';
import { placeSpans, tracesOf, type PlacedSpan } from './trace-tree.ts';
import { truncateTraces } from './truncate.ts';

/** So many calls of one kind in a row are one line. */
const RUN = 3;

/** Shorter than this share of its trace, a span without an error is only counted. */
const TELLING_SHARE = 0.01;

/** One trace: a line to cite, and the tree of its spans, the first line of which names the trace. */
export interface TraceExample {
  readonly line: CitedLine;
  readonly tree: readonly string[];
}

interface Trace {
  readonly id: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly errors: number;
  readonly services: number;
  readonly size: number;
  /** Where most time went, and the innermost failure. */
  readonly slowest: PlacedSpan;
  readonly failing: PlacedSpan | undefined;
  /** Those that matter, in the order of the tree. */
  readonly spans: readonly PlacedSpan[];
  /** How many matter, when not all of them are here. */
  readonly span_count_total?: number;
}

/** Traces with errors first, then the slowest. Each shows at most 50 spans and says of how many (SPEC A12, A13). */
export function exampleTraces(spans: readonly Span[], triggerMs: number): readonly TraceExample[] {
  const traces = [...tracesOf(spans)].map(([id, trace]) => readTrace(id, trace));
  const telling = traces.sort((a, b) => Number(b.errors > 0) - Number(a.errors > 0) || b.durationMs - a.durationMs);
  return truncateTraces(telling, telling.length).map((trace) => ({
    line: toLine(trace, triggerMs),
    tree: treeOf(trace),
  }));
}

function readTrace(id: string, trace: readonly Span[]): Trace {
  let [startUs, endUs] = [Infinity, -Infinity];
  for (const { timeUs, durationUs } of trace) {
    if (timeUs < startUs) startUs = timeUs;
    if (timeUs + durationUs > endUs) endUs = timeUs + durationUs;
  }
  const spans = placeSpans(trace);
  const durationMs = (endUs - startUs) / 1000;
  return {
    id,
    startMs: startUs / 1000,
    durationMs,
    errors: trace.filter(({ error }) => error).length,
    services: new Set(trace.map(({ service }) => service)).size,
    size: spans.length,
    slowest: spans.reduce((most, span) => (span.ownMs > most.ownMs ? span : most), spans[0] ?? NO_SPAN),
    failing: spans.findLast(({ isError }) => isError),
    spans: spans.filter((span) => span.isError || span.depth === 0 || span.durationMs >= durationMs * TELLING_SHARE),
  };
}

function toLine(trace: Trace, triggerMs: number): CitedLine {
  const { id, startMs, durationMs, errors, services, size, slowest, failing, spans } = trace;
  const [root = NO_SPAN] = spans;
  const parts = [
    `trace ${id}: ${root.service} ${root.operation} took ${durationText(durationMs)}, ${momentText(startMs, triggerMs)}`,
    `${size} spans of ${services} services`,
    `most own time in ${slowest.service} ${slowest.operation}: ${durationText(slowest.ownMs)}`,
    ...(failing ? [`${errors} spans with errors, the innermost in ${failing.service} ${failing.operation}`] : []),
  ];
  return {
    key: `trace:${id}:${size}`,
    draft: {
      kind: 'trace',
      service: slowest.service,
      statement: parts.join('; '),
      atMs: startMs,
      numbers: [durationMs, size, errors, slowest.ownMs, ...spans.flatMap((span) => [span.durationMs, span.ownMs])],
    },
  };
}

const NO_SPAN: PlacedSpan = {
  service: '',
  operation: '',
  depth: 0,
  startMs: 0,
  durationMs: 0,
  ownMs: 0,
  isError: false,
};

/** The spans that matter, indented by depth; of others their number. */
function treeOf(trace: Trace): readonly string[] {
  const { spans } = trace;
  const lines = [`Trace ${trace.id}, its spans:`];
  for (let start = 0; start < spans.length;) {
    const span = spans[start] as PlacedSpan;
    let end = start + 1;
    while (isLike(spans[end], span)) end++;
    const run = spans.slice(start, end);
    if (run.length >= RUN) lines.push(runText(run));
    else lines.push(...run.map(spanText));
    start = end;
  }
  const telling = trace.span_count_total ?? spans.length;
  const short = trace.size - telling;
  return [
    ...lines,
    ...(telling > spans.length ? [`  … ${telling - spans.length} more spans of ${trace.size}`] : []),
    ...(short > 0 ? [`  … ${short} more spans, each shorter than 1 % of the trace`] : []),
  ];
}

function isLike(other: PlacedSpan | undefined, span: PlacedSpan): boolean {
  return other?.service === span.service && other.operation === span.operation && other.depth === span.depth;
}

/** `payments POST /charges 1.9 s, own 1.8 s, +12 ms, ERROR`. */
function spanText({ service, operation, depth, startMs, durationMs, ownMs, isError }: PlacedSpan): string {
  const own = ownMs < durationMs ? `, own ${durationText(ownMs)}` : '';
  return `${indent(depth)}${service} ${operation} ${durationText(durationMs)}${own}, +${durationText(startMs)}${isError ? ', ERROR' : ''}`;
}

function runText(run: readonly PlacedSpan[]): string {
  const [first] = run as [PlacedSpan];
  const times = run.map(({ durationMs }) => durationMs);
  const errors = run.filter(({ isError }) => isError).length;
  const range = `${durationText(Math.min(...times))} to ${durationText(Math.max(...times))} each`;
  return `${indent(first.depth)}${run.length} × ${first.service} ${first.operation} ${range}, from +${durationText(first.startMs)}${errors > 0 ? `, ${errors} × ERROR` : ''}`;
}

/** Deeper than this the eye is lost. */
const DEEPEST = 12;
const indent = (depth: number) => '  '.repeat(1 + Math.min(depth, DEEPEST));

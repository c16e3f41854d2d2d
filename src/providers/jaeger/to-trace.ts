import type { Span } from '../../domain/telemetry.ts';
import { isFailed } from '../traces/failed-span.ts';
import { canonicalTraceId, isTraceId, spanIdFromHex } from '../traces/trace-ids.ts';
import { JaegerSpan, type JaegerTrace } from './answers.ts';

/** The spans of a trace; `dropped` counts those without usable ids, times or process. */
export function toTrace({ spans, processes }: JaegerTrace): {
  readonly spans: readonly Span[];
  readonly dropped: number;
} {
  const read = (spans ?? []).map((raw) => {
    const span = JaegerSpan.safeParse(raw);
    return span.success ? toSpan(span.data, processes ?? {}) : undefined;
  });
  const kept = read.filter((span) => span !== undefined);
  return { spans: kept, dropped: read.length - kept.length };
}

function toSpan(span: JaegerSpan, processes: NonNullable<JaegerTrace['processes']>): Span | undefined {
  const service = span.process?.serviceName ?? processes[span.processID ?? '']?.serviceName;
  const spanId = spanIdFromHex(span.spanID);
  if (service === undefined || !spanId || !isTraceId(span.traceID)) return undefined;
  const tag = (name: string) => span.tags?.find(({ key }) => key === name)?.value;
  const kind = tag('span.kind');
  const failed = isFailed({ status: undefined, kind: typeof kind === 'string' ? kind : undefined, tag });
  return {
    timeUs: span.startTime,
    traceId: canonicalTraceId(span.traceID),
    spanId,
    parentId: spanIdFromHex(parentOf(span)),
    service,
    operation: span.operationName,
    durationUs: span.duration,
    ...(failed ? { error: true } : {}),
  };
}

/** The span that caused this one, waiting for it (CHILD_OF) or not (FOLLOWS_FROM). References into other traces are links, no parents. */
function parentOf({ traceID, parentSpanID, references }: JaegerSpan): string {
  const own = (references ?? []).filter(
    (reference) => canonicalTraceId(reference.traceID) === canonicalTraceId(traceID),
  );
  const parent =
    own.find(({ refType }) => refType === 'CHILD_OF') ?? own.find(({ refType }) => refType === 'FOLLOWS_FROM');
  return parent?.spanID ?? parentSpanID ?? '';
}

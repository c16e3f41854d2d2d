import { z } from 'zod';
import type { Span } from '../../domain/telemetry.ts';
import { isFailed } from './failed-span.ts';
import { spanIdOf, traceIdOf } from './trace-ids.ts';

const Attribute = z.object({
  key: z.string(),
  value: z
    .object({
      stringValue: z.string().optional(),
      intValue: z.union([z.string(), z.number()]).optional(),
      doubleValue: z.number().optional(),
      boolValue: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
});
const Attributes = z.array(Attribute).optional().catch(undefined);
type Attributes = z.infer<typeof Attributes>;

const Nanoseconds = z.union([z.string(), z.number()]);
const OtlpSpan = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string().default(''),
  kind: z.union([z.string(), z.number()]).optional().catch(undefined),
  startTimeUnixNano: Nanoseconds,
  endTimeUnixNano: Nanoseconds,
  attributes: Attributes,
  status: z
    .object({ code: z.union([z.string(), z.number()]).optional() })
    .optional()
    .catch(undefined),
});
type OtlpSpan = z.infer<typeof OtlpSpan>;

/** Spans are checked one by one where they are read: one that is broken must not cost the whole trace. */
const Scope = z.object({ spans: z.array(z.unknown()).default([]) });
/** `instrumentationLibrarySpans` is what scopes were called before OTLP 1.0. */
const ResourceSpans = z.object({
  resource: z.object({ attributes: Attributes }).optional(),
  scopeSpans: z.array(Scope).optional(),
  instrumentationLibrarySpans: z.array(Scope).optional(),
});

/** OTLP's JSON of traces: `resourceSpans`, or `batches` as older servers call it. */
export const OtlpTraces = z.object({
  resourceSpans: z.array(ResourceSpans).optional(),
  batches: z.array(ResourceSpans).optional(),
});
export type OtlpTraces = z.infer<typeof OtlpTraces>;

/** The spans; `dropped` counts those without usable ids or times. */
export function readOtlp(traces: OtlpTraces): { readonly spans: readonly Span[]; readonly dropped: number } {
  const spans: Span[] = [];
  let dropped = 0;
  for (const batch of traces.resourceSpans ?? traces.batches ?? []) {
    const named = valueOf(batch.resource?.attributes, 'service.name');
    const service = typeof named === 'string' && named ? named : 'unknown';
    for (const scope of batch.scopeSpans ?? batch.instrumentationLibrarySpans ?? []) {
      for (const raw of scope.spans) {
        const read = OtlpSpan.safeParse(raw);
        const span = read.success ? toSpan(read.data, service) : undefined;
        if (span) spans.push(span);
        else dropped += 1;
      }
    }
  }
  return { spans, dropped };
}

function toSpan(span: OtlpSpan, service: string): Span | undefined {
  const [traceId, spanId] = [traceIdOf(span.traceId), spanIdOf(span.spanId)];
  const [startUs, endUs] = [microseconds(span.startTimeUnixNano), microseconds(span.endTimeUnixNano)];
  if (!traceId || !spanId || !Number.isFinite(startUs) || !(endUs >= startUs)) return undefined;
  const failed = isFailed({
    status: isCode(span.status?.code, 2, 'STATUS_CODE_ERROR') ? 'error' : undefined,
    kind: isCode(span.kind, 2, 'SPAN_KIND_SERVER') ? 'server' : undefined,
    tag: (name) => valueOf(span.attributes, name),
  });
  return {
    timeUs: startUs,
    traceId,
    spanId,
    parentId: span.parentSpanId ? spanIdOf(span.parentSpanId) : '',
    service,
    operation: span.name,
    durationUs: endUs - startUs,
    ...(failed ? { error: true } : {}),
  };
}

/** Protobuf's JSON writes enums by name or by number. */
function isCode(code: string | number | undefined, number: number, name: string): boolean {
  return code === number || code === name || code === String(number);
}

/** Nanoseconds do not fit a number, so their text is cut before it is read. */
function microseconds(nanoseconds: string | number): number {
  if (typeof nanoseconds === 'number') return Math.floor(nanoseconds / 1000);
  return /^\d{4,}$/.test(nanoseconds) ? Number(nanoseconds.slice(0, -3)) : Number.NaN;
}

function valueOf(attributes: Attributes, key: string): string | number | boolean | undefined {
  const value = attributes?.find((attribute) => attribute.key === key)?.value;
  return value?.stringValue ?? value?.intValue ?? value?.doubleValue ?? value?.boolValue;
}

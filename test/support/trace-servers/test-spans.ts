/** A span as the tests write it; loaded into whatever server, it has to come back as the same `Span`. Times in microseconds. */
export interface TestSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string;
  readonly service: string;
  readonly name: string;
  readonly kind?: 'server' | 'client' | 'internal';
  readonly startUs: number;
  readonly durationUs: number;
  readonly failed?: boolean;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

const KINDS = { internal: 1, server: 2, client: 3 } as const;

/** As OTLP over HTTP takes them (JSON, ids in hexadecimal): one resource a service. */
export function toOtlp(spans: readonly TestSpan[]) {
  return { resourceSpans: resourceSpansOf(spans, (hex) => hex) };
}

/** The same with ids written by `idOf`: Tempo answers with base64. */
export function resourceSpansOf(spans: readonly TestSpan[], idOf: (hex: string) => string) {
  const services = [...new Set(spans.map(({ service }) => service))];
  return services.map((service) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [
      {
        scope: { name: 'test' },
        spans: spans.filter((span) => span.service === service).map((span) => toOtlpSpan(span, idOf)),
      },
    ],
  }));
}

function toOtlpSpan(span: TestSpan, idOf: (hex: string) => string) {
  return {
    traceId: idOf(span.traceId),
    spanId: idOf(span.spanId),
    ...(span.parentId === undefined ? {} : { parentSpanId: idOf(span.parentId) }),
    name: span.name,
    kind: KINDS[span.kind ?? 'server'],
    // Nanoseconds do not fit a number.
    startTimeUnixNano: `${span.startUs}000`,
    endTimeUnixNano: `${span.startUs + span.durationUs}000`,
    attributes: Object.entries(span.attributes ?? {}).map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
    })),
    status: span.failed ? { code: 2 } : {},
  };
}

let counted = 0;

/** An id of so many bytes, another one each time. */
export function newId(bytes: 8 | 16): string {
  counted += 1;
  return `${counted.toString(16).padStart(4, '0')}c0de`.padStart(2 * bytes, 'a');
}

export interface TraceShape {
  readonly startMs: number;
  readonly durationMs?: number;
  readonly failed?: boolean;
  /** Services in the order of the calls: each calls the next. Default: `web`, `checkout`, `payments`. */
  readonly path?: readonly string[];
  readonly operation?: string;
}

/** A request along a path of services, as it is usually instrumented: of each call the caller's client span and the callee's server span. */
export function requestAlong(shape: TraceShape): readonly TestSpan[] {
  const {
    startMs,
    durationMs = 40,
    failed = false,
    path = ['web', 'checkout', 'payments'],
    operation = 'POST /pay',
  } = shape;
  const traceId = newId(16);
  const spans: TestSpan[] = [];
  let parentId: string | undefined;
  for (const [depth, service] of path.entries()) {
    const common = {
      traceId,
      startUs: (startMs + depth) * 1000,
      durationUs: Math.max(1, durationMs - 2 * depth) * 1000,
      failed,
    };
    const server: TestSpan = {
      ...common,
      spanId: newId(8),
      service,
      name: operation,
      kind: 'server',
      ...(parentId === undefined ? {} : { parentId }),
    };
    spans.push(server);
    parentId = server.spanId;
    const callee = path[depth + 1];
    if (callee === undefined) continue;
    const client: TestSpan = { ...common, spanId: newId(8), parentId, service, name: `call ${callee}`, kind: 'client' };
    spans.push(client);
    parentId = client.spanId;
  }
  return spans;
}

import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { SpanFacts, SpanOrigin, TraceSpan } from '../domain/tracing.ts';
import { ERROR_TYPE, SERVICE_NAME, SERVICE_VERSION, SPAN_NAMES } from './telemetry-names.ts';
import type { Tracing, TracingOptions } from './tracing.ts';

const SCOPE = 'rootnote';
const LONGEST_VALUE = 200;
/** Of one batch, retries included. */
const EXPORT_TIMEOUT_MS = 5000;
const COMPLAINT_EVERY_MS = 60_000;

/**
 * Starts tracing for this process: the provider is registered, so that the span of a model call, which its SDK makes, becomes a child of the turn. A
 * collector that is away costs the spans and nothing else.
 */
export function startTracing(options: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: options.url,
    headers: { ...options.headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ [SERVICE_NAME]: options.serviceName, [SERVICE_VERSION]: options.version }),
    ),
    sampler: new ParentBasedSampler({ root: samplerOf(options) }),
    spanProcessors: [new BatchSpanProcessor(guarded(exporter, options))],
  });
  provider.register();
  const tracer = provider.getTracer(SCOPE, options.version);
  let stopped: Promise<void> | undefined;
  return {
    trace: tracerOf(tracer, options.redact),
    currentTraceparent,
    stop: (graceMs) => {
      stopped ??= provider
        .shutdown()
        .catch(() => undefined)
        .finally(unregister);
      return within(graceMs, stopped);
    },
  };
}

function unregister(): void {
  trace.disable();
  context.disable();
  propagation.disable();
}

function samplerOf({ sampler, ratio }: TracingOptions): Sampler {
  if (sampler === 'always_off') return new AlwaysOffSampler();
  return sampler === 'always_on' ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
}

function tracerOf(tracer: Tracer, redact: (text: string) => string): TraceSpan {
  return (kind, facts, work, origin) => {
    const { operation, subject, attributes, facts: names } = SPAN_NAMES[kind];
    const told = (more: SpanFacts) => attributesOf(more, names, redact);
    const about = subject === undefined ? undefined : facts[subject];
    const name = about === undefined ? operation : `${operation} ${clean(String(about), redact)}`;
    const { parent, links } = originOf(origin);
    const start = { attributes: { ...attributes, ...told(facts) }, links };
    return tracer.startActiveSpan(name, start, parent, (span) => run(span, work, told));
  };
}

async function run<T>(
  span: Span,
  work: (describe: (facts: SpanFacts) => void) => Promise<T>,
  told: (facts: SpanFacts) => Attributes,
): Promise<T> {
  try {
    return await work((facts) => void span.setAttributes(told(facts)));
  } catch (error) {
    // The kind of the error and not its message, which may quote anything.
    span.setAttribute(ERROR_TYPE, error instanceof Error ? error.name : 'unknown');
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function attributesOf(
  facts: SpanFacts,
  names: Readonly<Record<string, string>>,
  redact: (text: string) => string,
): Attributes {
  const pairs = Object.entries(facts).flatMap(([fact, value]) => {
    const name = names[fact];
    return name === undefined ? [] : [[name, typeof value === 'string' ? clean(value, redact) : value] as const];
  });
  return Object.fromEntries(pairs);
}

function clean(text: string, redact: (text: string) => string): string {
  return redact(text).slice(0, LONGEST_VALUE);
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The context that a span begins in, and what it points to. W3C Trace Context, version 00. */
function originOf(origin: SpanOrigin | undefined): { readonly parent: Context; readonly links: Link[] } {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(origin?.traceparent ?? '') ?? [];
  if (!origin || !traceId || !spanId || !flags) return { parent: context.active(), links: [] };
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  if (!trace.isSpanContextValid(spanContext)) return { parent: context.active(), links: [] };
  if (origin.as === 'parent') return { parent: trace.setSpanContext(context.active(), spanContext), links: [] };
  return { parent: ROOT_CONTEXT, links: [{ context: spanContext }] };
}

function currentTraceparent(): string | undefined {
  const spanContext = trace.getActiveSpan()?.spanContext();
  if (!spanContext || !trace.isSpanContextValid(spanContext)) return undefined;
  const flags = (spanContext.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  return `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`;
}

/**
 * The exporter, with two things that it does not do itself: it tells of spans that it could not post, a word a minute, and it redacts what others (the
 * model's SDK) put into theirs, such as URLs.
 */
function guarded(exporter: SpanExporter, { redact, onLost }: TracingOptions): SpanExporter {
  let quietUntilMs = 0;
  return {
    export: (spans, done) => {
      for (const { instrumentationScope, attributes } of spans)
        if (instrumentationScope.name !== SCOPE) redactInPlace(attributes, redact);
      exporter.export(spans, (result) => {
        if (result.error && Date.now() >= quietUntilMs) {
          quietUntilMs = Date.now() + COMPLAINT_EVERY_MS;
          onLost();
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function redactInPlace(attributes: Attributes, redact: (text: string) => string): void {
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'string') attributes[name] = redact(value);
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

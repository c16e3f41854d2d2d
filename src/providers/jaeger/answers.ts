import { z } from 'zod';

const Tag = z.object({ key: z.string(), value: z.unknown() });
const Tags = z.array(Tag).nullish().catch(undefined);
export type Tags = z.infer<typeof Tags>;

const Process = z.object({ serviceName: z.string(), tags: Tags });

/** A span as Jaeger's own JSON has it; times in microseconds. */
export const JaegerSpan = z.object({
  traceID: z.string(),
  spanID: z.string(),
  parentSpanID: z.string().optional().catch(undefined),
  operationName: z.string().default(''),
  references: z
    .array(z.object({ refType: z.string(), traceID: z.string(), spanID: z.string() }))
    .nullish()
    .catch(undefined),
  startTime: z.number(),
  duration: z.number().min(0),
  tags: Tags,
  processID: z.string().optional(),
  /** Some compatible servers write it into each span. */
  process: Process.optional().catch(undefined),
});
export type JaegerSpan = z.infer<typeof JaegerSpan>;

/** Spans are checked one by one where they are read: one that is broken must not cost the whole trace. */
export const JaegerTrace = z.object({
  spans: z.array(z.unknown()).nullish(),
  processes: z.record(z.string(), Process).nullish(),
  warnings: z.array(z.string()).nullish().catch(undefined),
});
export type JaegerTrace = z.infer<typeof JaegerTrace>;

const ErrorEntry = z.object({ code: z.number().optional(), msg: z.string().default('no reason given') });

/** Around every answer, good or bad (Jaeger's query service, `structuredResponse`). */
export const Envelope = z.object({
  data: z.unknown(),
  errors: z.array(ErrorEntry).nullish().catch(undefined),
});
export type Envelope = z.infer<typeof Envelope>;

export const Names = z.array(z.string()).nullable();
export const Operations = z.array(z.object({ name: z.string() })).nullable();
export const Traces = z.array(JaegerTrace).nullable();
export const Calls = z.array(z.object({ parent: z.string(), child: z.string() })).nullable();

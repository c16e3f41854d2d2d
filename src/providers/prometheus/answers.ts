import { z } from 'zod';

/**
 * The envelope of every answer (prometheus.io/docs/prometheus/latest/querying/api). `isPartial` is VictoriaMetrics'. Read permissively:
 * proxies and compatible products add fields.
 */
export const Envelope = z.object({
  status: z.enum(['success', 'error']),
  data: z.unknown().optional(),
  errorType: z.string().optional(),
  error: z.string().optional(),
  warnings: z.array(z.string()).nullish().catch(undefined),
  infos: z.array(z.string()).nullish().catch(undefined),
  isPartial: z.boolean().optional().catch(undefined),
});
export type Envelope = z.infer<typeof Envelope>;

const Metric = z.record(z.string(), z.string());
/** Samples are checked one by one where they are read: there may be a million of them. */
const Samples = z.array(z.unknown());

export const Matrix = z.object({
  resultType: z.literal('matrix'),
  result: z.array(z.object({ metric: Metric, values: Samples.optional() })),
});
export type Matrix = z.infer<typeof Matrix>;

export const Vector = z.object({
  resultType: z.literal('vector'),
  result: z.array(z.object({ metric: Metric, value: z.tuple([z.number(), z.string()]).optional() })),
});
export type Vector = z.infer<typeof Vector>;

export const LabelValues = z.array(z.string());

export const BuildInfo = z.object({ version: z.string(), application: z.string().optional() });

/** Samples as two arrays. `dropped` counts those that are no finite number (NaN, ±Inf) or no sample at all. */
export function readSamples(samples: readonly unknown[]): {
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
  readonly dropped: number;
} {
  const timesMs = new Float64Array(samples.length);
  const values = new Float64Array(samples.length);
  let kept = 0;
  for (const sample of samples) {
    if (!Array.isArray(sample)) continue;
    const [time, text] = sample as readonly unknown[];
    const value = typeof text === 'string' && text !== '' ? Number(text) : Number.NaN;
    if (typeof time !== 'number' || !Number.isFinite(value)) continue;
    timesMs[kept] = Math.round(time * 1000);
    values[kept] = value;
    kept += 1;
  }
  return { timesMs: timesMs.slice(0, kept), values: values.slice(0, kept), dropped: samples.length - kept };
}

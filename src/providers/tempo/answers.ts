import { z } from 'zod';
import { OtlpTraces } from '../traces/otlp-spans.ts';

/** Empty lists are left out of answers, so nothing but statistics is an answer, too. Other JSON is another product's. */

/** `/api/search`: which traces match. Numbers of nanoseconds are text; fields without a value are left out. */
export const SearchAnswer = z.object({
  traces: z
    .array(
      z.object({
        traceID: z.string(),
        startTimeUnixNano: z.string().optional().catch(undefined),
        durationMs: z.number().optional().catch(undefined),
      }),
    )
    .nullish(),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;

/** `/api/v2/search/tag/<tag>/values`. */
export const TagValues = z
  .looseObject({ tagValues: z.array(z.object({ value: z.string() })).nullish() })
  .refine((answer) => answer.tagValues !== undefined || Object.keys(answer).every((name) => name === 'metrics'), {
    message: 'is not of Tempo',
  });

/** `/api/v2/traces/<id>`. `PARTIAL` when it is too long; `message` says so. */
export const TraceAnswerV2 = z.object({
  trace: OtlpTraces.nullish(),
  status: z.union([z.string(), z.number()]).optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

/** `/api/traces/<id>`, of versions before 2.7. */
export const TraceAnswerV1 = OtlpTraces;

export const BuildInfo = z.object({ version: z.string() });

import { z } from 'zod';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { parseJson } from '../backend/ask-backend.ts';

/** Answers of the search API (elastic.co/docs/api, docs.opensearch.org/docs/latest/api-reference/search-apis). Read permissively: both add fields. */
const Outcome = z.object({
  timed_out: z.boolean().catch(false),
  _shards: z.object({
    total: z.number(),
    failed: z.number(),
    failures: z.array(z.object({ reason: z.object({ reason: z.string().nullish() }).nullish() })).optional(),
  }),
});

export const Hits = Outcome.extend({
  hits: z.object({
    hits: z.array(
      z.object({ _index: z.string(), _id: z.string(), _source: z.unknown(), sort: z.array(z.unknown()).optional() }),
    ),
  }),
});
export type Hits = z.infer<typeof Hits>;

export const Terms = Outcome.extend({
  /** Missing when there is no index at all. */
  aggregations: z
    .object({ values: z.object({ buckets: z.array(z.object({ key: z.unknown(), doc_count: z.number() })) }) })
    .optional(),
});

export const Greeting = z.object({
  version: z.object({ number: z.string(), distribution: z.string().optional() }),
});

/** What is missing in an answer that came all the same. */
export function shortfalls({ timed_out: timedOut, _shards: { total, failed, failures } }: z.infer<typeof Outcome>) {
  const reason = failures?.[0]?.reason?.reason;
  const because = reason ? ` (${clip(oneLine(reason), 200)})` : '';
  return [
    ...(timedOut ? ['the search was stopped at its time limit: the answer is partial'] : []),
    ...(failed > 0 ? [`${failed} of ${total} shards failed${because}: the answer is partial`] : []),
  ];
}

const Failure = z.object({
  error: z.union([
    z.string(),
    z.object({
      reason: z.string().nullish(),
      root_cause: z.array(z.object({ reason: z.string().nullish() })).optional(),
    }),
  ]),
});

/** The reason in the body of an error: that of its root cause, which says more. */
export function reasonOf(body: string): string {
  const failure = Failure.safeParse(parseJson(body));
  if (!failure.success) return body;
  const { error } = failure.data;
  return typeof error === 'string' ? error : (error.root_cause?.[0]?.reason ?? error.reason ?? 'no reason given');
}

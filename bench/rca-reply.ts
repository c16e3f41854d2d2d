import { z } from 'zod';

/** What a ranking worker is asked. */
export interface RankingRequest {
  /** Folder of the recording. */
  readonly directory: string;
  /** Nothing of a later time is shown. */
  readonly untilAfterAlertMs?: number;
}

/** What a ranking worker answers for one recording. */
export const RankingReply = z.union([
  z.strictObject({
    /** Services, most suspect first. */
    ranked: z.array(z.string()),
    confidence: z.number(),
    type: z.string(),
    briefTokens: z.number(),
    rawTokens: z.number(),
    cpuMs: z.number(),
    ms: z.number(),
  }),
  z.strictObject({ error: z.string() }),
]);
export type RankingReply = z.infer<typeof RankingReply>;

/** What a worker sent, or what is wrong with it: a number that is not finite, for one, comes out of the channel as null. */
export function readReply(message: unknown): RankingReply {
  const { data, error } = RankingReply.safeParse(message);
  return data ?? { error: `no usable reply: ${z.prettifyError(error)}` };
}

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

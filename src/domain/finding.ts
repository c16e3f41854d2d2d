import { z } from 'zod';

const text = (max: number) => z.string().min(1).max(max);
const evidenceIds = z.array(z.string().regex(/^[A-Z]\d+$/)).max(20);

export const VERDICTS = ['supports', 'contradicts', 'neither'] as const;

/** What a sub-agent hands to its parent: a conclusion with the evidence for it, and what that says about the hypotheses. */
export const Finding = z.strictObject({
  conclusion: text(1500),
  evidence: evidenceIds,
  verdicts: z
    .array(
      z.strictObject({
        hypothesis: z.string().regex(/^H\d$/),
        verdict: z.enum(VERDICTS),
        why: text(300),
        evidence: evidenceIds,
      }),
    )
    .max(4),
  gaps: z.array(text(300)).max(5),
});
export type Finding = z.infer<typeof Finding>;

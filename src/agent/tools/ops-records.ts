import { z } from 'zod';
import type { OperationRecord } from '../../domain/operations.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { isoSeconds } from './relative-window.ts';
import { ToolFailure, type ToolContext, type ToolData } from './tool.ts';

const LONGEST_RECORD = 1500;

export const limitInput = { limit: z.number().int().min(1).max(50).default(20) };
export const incidentInput = {
  incident: z
    .string()
    .trim()
    .regex(/^[a-z][a-zA-Z0-9_-]{3,127}$/)
    .optional()
    .describe('Id of one incident, as ops_list gives it. Default: the newest ones.'),
};

/**
 * Rootnote's own records as the model reads them. Without an evidence id: what Rootnote did, found or proposed says nothing new about the systems that
 * are watched. A store that does not answer is for the model to read, and no gap of the report.
 */
export async function readRecords(
  what: string,
  records: Promise<readonly OperationRecord[]>,
  context: ToolContext,
): Promise<ToolData> {
  const found = await records.catch((cause: unknown) => {
    throw new ToolFailure(`Rootnote's own records cannot be read now. Go on without them.`, { cause });
  });
  const lines = found.map(({ atMs, id, text }) =>
    clip(`${isoSeconds(atMs)} (${relativeTime(atMs, context.triggerMs)}) ${id}: ${oneLine(text)}`, LONGEST_RECORD),
  );
  const notes = [
    'Records of Rootnote itself: no evidence about the systems. Rootnote executes nothing; actions are proposals to people.',
  ];
  return { kind: 'text', searched: `Rootnote: ${what}`, notes, text: lines.join('\n') || 'Nothing is recorded.' };
}

import { z } from 'zod';
import type { OperationsLog } from '../../domain/operations.ts';
import { incidentInput, limitInput, readRecords } from './ops-records.ts';
import { defineTool, type Tool } from './tool.ts';

/** Investigations that ran and what they proposed (SPEC B14). There is nothing else that Rootnote could have executed. */
export function opsExecutionsTool(operations: OperationsLog | undefined): Tool | undefined {
  if (!operations) return undefined;
  return defineTool({
    name: 'ops_executions',
    description:
      'Lists investigations that Rootnote ran, newest first: how they ended, what they cost, and the actions their reports proposed. Rootnote executes none of them. No evidence, cannot be cited.',
    input: z.strictObject({ ...incidentInput, ...limitInput }),
    run: ({ incident, limit }, context) => {
      const what = incident === undefined ? 'investigations' : `investigations of ${incident}`;
      return readRecords(what, operations.listExecutions(limit, incident), context);
    },
  });
}

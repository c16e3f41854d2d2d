import { z } from 'zod';
import type { OperationsLog } from '../../domain/operations.ts';
import { limitInput, readRecords } from './ops-records.ts';
import { defineTool, type Tool } from './tool.ts';

/** What else is going on, as far as Rootnote knows (SPEC B14). */
export function opsListTool(operations: OperationsLog | undefined): Tool | undefined {
  if (!operations) return undefined;
  return defineTool({
    name: 'ops_list',
    description:
      'Lists incidents and scheduled checks that Rootnote knows, newest first: state, title, service, and the verdict of the report when there is one. Shows whether something else is firing. No evidence, cannot be cited.',
    input: z.strictObject(limitInput),
    run: ({ limit }, context) => readRecords('incidents and checks', operations.listIncidents(limit), context),
  });
}

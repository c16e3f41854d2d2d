import { z } from 'zod';
import type { OperationsLog } from '../../domain/operations.ts';
import { incidentInput, limitInput, readRecords } from './ops-records.ts';
import { defineTool, type Tool } from './tool.ts';

/** What happened in Rootnote (SPEC B14); what happened in the cluster is for `query_events`. */
export function eventsTool(operations: OperationsLog | undefined): Tool | undefined {
  if (!operations) return undefined;
  return defineTool({
    name: 'events',
    description:
      'Lists what happened in Rootnote itself, newest first: incidents begun and resolved, reports written, deliveries made, retried and given up. Not events of the systems. No evidence, cannot be cited.',
    input: z.strictObject({ ...incidentInput, ...limitInput }),
    run: ({ incident, limit }, context) =>
      readRecords(`own events${about(incident)}`, operations.listEvents(limit, incident), context),
  });
}

function about(incident: string | undefined): string {
  return incident === undefined ? '' : ` of ${incident}`;
}

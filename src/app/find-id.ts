import { oneLine } from '../policy/untrusted.ts';
import { reportId } from '../investigate/write-report.ts';
import type { Reading } from './incident-view.ts';

const MOST_NAMED = 5;

/** Several ids begin like that; the message names some of them. */
export class AmbiguousId extends Error {
  override readonly name = 'AmbiguousId';
}

/**
 * The id of the incident or storm that somebody means: it, its report's or its session's, whole or a beginning that no other has. What is not known, and what
 * names one sub-agent, later round or look, stays as it is. Throws `AmbiguousId`.
 */
export async function findId({ incidents, reports, storms }: Reading, given: string): Promise<string> {
  const start = incidentOf(given);
  const known = await incidents.idsLike(start, MOST_NAMED + 1);
  if (known.includes(start)) return start;
  const reported = await reports.idsLike(reportId(start), MOST_NAMED + 1);
  const stormy = await storms.idsLike(start, MOST_NAMED + 1);
  const found = [...new Set([...known, ...reported.map(incidentOf), ...stormy])];
  if (found.length > 1) {
    const named = found.toSorted().slice(0, MOST_NAMED).join(', ');
    throw new AmbiguousId(
      `several ids begin with ${oneLine(given)}: ${named}${found.length > MOST_NAMED ? ', …' : ''}`,
    );
  }
  return found[0] ?? start;
}

/** Ids of reports and sessions derive from the incident's, so that any of the three names them all. */
export function incidentOf(id: string): string {
  return id.replace(/^(?:rep|ses)_/, '');
}

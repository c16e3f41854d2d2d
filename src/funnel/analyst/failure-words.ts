import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Evidence } from '../../domain/evidence.ts';

/** A state of an object that tells of a process which ended by itself, or runs and does not get ready. */
const FAILS = /CrashLoopBackOff|exit code \d|\bended: |rollout does not progress|runs but is not ready/;
/** What was there before as it is now says nothing of it. */
const ERROR = /^(?:New|More of the|Seen:) error "/;

/**
 * What the processes of a suspect wrote when they failed: an exit code says that they did, their log says why. The first error of its own log; undefined
 * when `facts`, which the verdict rests on, tell of no such failure.
 */
export function failureWordsOf({ service }: Suspect, facts: readonly Evidence[], brief: Brief): Evidence | undefined {
  if (!facts.some(({ kind, statement }) => kind === 'state' && FAILS.test(statement))) return undefined;
  return brief.evidence.find((item) => item.kind === 'log' && item.service === service && ERROR.test(item.statement));
}

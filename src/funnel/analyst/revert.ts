import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Incident } from '../../domain/incident.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import { ROLL_BACK } from './catalogue-steps.ts';
import { changeInWords } from './change-words.ts';
import { asSentence, spoken } from './spoken.ts';
import { evidenceOf } from './summarise.ts';
import { toAction, type Action, type Setting } from './to-action.ts';

/** A change that a workload's revisions know of, so that going back one undoes it. */
const ROLLOUT = /^(rollout|deploy\w*) of /i;

/** To take back the change that set the trouble off; undefined where none is known. */
export function revertOf(
  { service, trigger }: Suspect,
  setting: Setting,
  incident: Incident,
  brief: Brief,
): Action | undefined {
  const [change] = evidenceOf(trigger?.evidenceIds, brief);
  if (!change) return undefined;
  const when = change.atMs === undefined ? 'shortly before' : relativeTime(change.atMs, incident.startsAtMs);
  const command = ROLLOUT.test(change.statement) ? toAction(ROLL_BACK, setting).command : undefined;
  const words = changeInWords(change.statement, service);
  return {
    step: asSentence(`Revert the change of ${spoken(service, 120)}: ${words}`),
    why: `It was made ${when}, before the first signs of trouble (${change.id}).`,
    risk: 'R2',
    ...(command === undefined ? {} : { command }),
    rollback: undoOfRevert(words),
    needs_approval: true,
  };
}

/** `db_pool_max changed from 16 to 2`, `replicas: 3 → 1`: the names and values that most tools write. */
const VALUE_CHANGE = /([\w./-]+)(?::| changed| set| scaled)?(?: from)? (\S+) (?:to|→|->|=>) (\S+?)[.,;]?(?=\s|$)/;

/** What brings the change back, in its own words where they name a value. */
function undoOfRevert(words: string): string {
  const [, name, , now] = VALUE_CHANGE.exec(words) ?? [];
  return name && now ? `Set ${name} back to ${now}.` : asSentence(`Make the change again: ${words}`);
}

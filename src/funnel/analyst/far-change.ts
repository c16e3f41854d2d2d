import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Incident } from '../../domain/incident.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import { MAX_CHANGE_AGE_MS } from '../rank/trigger.ts';
import { changeInWords } from './change-words.ts';
import { spoken } from './spoken.ts';
import { evidenceOf } from './summarise.ts';

/** True when all that speaks against a suspect is a change far from the alert: with no sign of trouble at the service it explains nothing. */
export function isFarChange({ reasons }: Suspect, { startsAtMs }: Incident, brief: Brief): boolean {
  const changes = evidenceOf(
    reasons.flatMap(({ evidenceIds }) => evidenceIds),
    brief,
  );
  const isFar = (atMs: number | undefined) => !(Math.abs(startsAtMs - (atMs ?? Number.NaN)) <= MAX_CHANGE_AGE_MS);
  return (
    changes.length > 0 && reasons.every(({ type }) => type === 'change') && changes.every(({ atMs }) => isFar(atMs))
  );
}

/** `a change of payments, db_pool_max changed from 16 to 2, 14 h 22 min before the alert` */
export function farChangeInWords({ service, reasons }: Suspect, { startsAtMs }: Incident, brief: Brief): string {
  const [change] = evidenceOf(reasons[0]?.evidenceIds, brief);
  const when = change?.atMs === undefined ? 'at an unknown time' : relativeTime(change.atMs, startsAtMs);
  return `a change of ${spoken(service, 120)}, ${changeInWords(change?.statement ?? '', service)}, ${when}`;
}

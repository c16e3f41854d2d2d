import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Evidence } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import type { Conclusion } from '../../domain/report.ts';
import { namedSymptoms } from '../rank/symptom.ts';
import { changeInWords } from './change-words.ts';
import { failureWordsOf } from './failure-words.ts';
import { gistOf, isClear, isSymptom } from './gist.ts';
import { asSentence, spoken } from './spoken.ts';
import { TYPE_WORDS } from './type-words.ts';

/** One sentence a person can act on: who, what in words, what set it off and when, what it does to the alerting service. */
export function summarise(first: Suspect, status: Conclusion['status'], incident: Incident, brief: Brief): string {
  const service = spoken(first.service, 120);
  const verdict = `${service} (${TYPE_WORDS[first.rootCauseType]})`;
  const story = storyOf(first, incident, brief);
  if (status === 'determined')
    return asSentence(`${service} is the likely root cause (${TYPE_WORDS[first.rootCauseType]}): ${story}`);
  return `Not determined. The strongest lead is ${verdict}: ${asSentence(story)} ${whatIsMissing(brief)}`;
}

function storyOf(first: Suspect, incident: Incident, brief: Brief): string {
  const [trigger] = evidenceOf(first.trigger?.evidenceIds, brief);
  const [mechanism, ...more] = mechanismOf(first, brief);
  const effect = effectOnAlerting(first, incident, brief) ?? mechanism;
  const words = failureWordsOf(first, mechanism ? [mechanism, ...more] : [], brief);
  const said = words ? `; ${aboutIt(gistOf(words), first.service)}` : '';
  if (trigger) {
    const change = `${changeInWords(trigger.statement, first.service)}${when(trigger, incident)}`;
    return effect && effect.id !== trigger.id ? `${change}; since then ${gistOf(effect)}${said}` : `${change}${said}`;
  }
  if (!mechanism) return spoken(first.reasons[0]?.statement ?? 'no single piece of evidence stands out', 260);
  // Time lost on the way takes both ends to tell; everything else is told by its first fact.
  const ends = first.rootCauseType === 'network_latency' ? [mechanism, ...more] : [mechanism];
  const cause = `${ends.map((fact) => aboutIt(gistOf(fact), first.service)).join(' while ')}${when(mechanism, incident)}`;
  return effect && effect.id !== mechanism.id ? `${cause}${said}; meanwhile ${gistOf(effect)}` : `${cause}${said}`;
}

/** The facts about the suspect that name its type: one a reason, or both ends of the calls where they are the only reason. At most two. */
export function mechanismOf({ service, mechanism, reasons }: Suspect, brief: Brief): readonly Evidence[] {
  const naming = mechanism ?? reasons.slice(0, 1);
  const own = naming.map(({ evidenceIds }) => {
    const [first, ...others] = evidenceOf(evidenceIds, brief);
    return first ? [first, ...others.filter((item) => item.service === service)] : [];
  });
  return (own.length === 1 ? own.flat() : own.flatMap((facts) => facts.slice(0, 1))).slice(0, 2);
}

/** The sentence has named the service already. */
function aboutIt(gist: string, service: string): string {
  if (gist.startsWith(`${service} logs `)) return `it ${gist.slice(service.length + 1)}`;
  if (gist.startsWith(`${service}: `)) return gist.slice(service.length + 2);
  return gist.startsWith(`${service} `) ? `its ${gist.slice(service.length + 1)}` : gist;
}

/**
 * Nothing for what was seen after the alert only: that would read like a cause that came after its effect. Where no beginning is known the time is
 * that of the extreme, and says so.
 */
function when(fact: Evidence, { startsAtMs }: Incident): string {
  const { atMs, kind, statement } = fact;
  if (atMs === undefined || !Number.isFinite(atMs) || atMs > startsAtMs) return '';
  const isSaid = kind !== 'metric' && kind !== 'log' && statement.includes('the alert');
  return isSaid ? '' : `, ${isClear(fact) ? '' : 'most so '}${relativeTime(atMs, startsAtMs)}`;
}

/**
 * What the alerting service suffers: a metric of it that measures what the alert names, the ones that the ranking rests on first. Undefined when
 * the suspect is the alerting service itself, or when nothing of the kind is known.
 */
export function effectOnAlerting(first: Suspect, incident: Incident, brief: Brief): Evidence | undefined {
  const alerting = brief.callPath?.at(-1) ?? incident.service;
  if (alerting === undefined || alerting === first.service) return undefined;
  const isOfAlerting = (item: Evidence) => item.kind === 'metric' && item.service === alerting && isSymptom(item);
  const own = brief.ranking.suspects.find(({ service }) => service === alerting);
  const ids = (suspect: Suspect | undefined) => suspect?.reasons.flatMap(({ evidenceIds }) => evidenceIds);
  const metrics = [
    // What the suspect's share was measured on is the symptom, however small; of others only what clearly changed.
    ...evidenceOf(ids(first), brief).filter(isOfAlerting),
    ...[...evidenceOf(ids(own), brief), ...brief.evidence].filter((item) => isOfAlerting(item) && isClear(item)),
  ];
  const complaint = namedSymptoms([incident.title, ...Object.values(incident.annotations)].join(' '));
  const isNamed = ({ statement }: Evidence) =>
    [...namedSymptoms(statement.split('; ')[0] ?? '')].every((kind) => complaint.has(kind));
  return metrics.find(isNamed) ?? metrics[0];
}

/** The items with these ids, in the order of the ids. */
export function evidenceOf(ids: readonly string[] | undefined, brief: Brief): readonly Evidence[] {
  return (ids ?? []).flatMap((id) => brief.evidence.find((item) => item.id === id) ?? []);
}

/** Why nothing is determined, as far as it is known. */
export function whatIsMissing(brief: Brief): string {
  const kinds = new Set(brief.evidence.map(({ kind }) => kind));
  const silent = (['metric', 'log', 'trace', 'event', 'change'] as const).filter((kind) => !kinds.has(kind));
  const gap = brief.gaps[0];
  if (gap?.source === 'telemetry') return asSentence(`Missing: ${spoken(gap.message, 120)}`);
  if (gap) return asSentence(`Missing: ${spoken(`${gap.source}: ${gap.message}`, 120)}`);
  if (silent.length > 0) return `No ${silent.join(', ')} evidence was found to confirm it.`;
  return 'The evidence points at several services about equally.';
}

/** What the funnel itself says is not there, such as a provider; undefined when every gap is a provider's. */
export function ownGap({ gaps }: Brief): string | undefined {
  return gaps.find(({ source }) => source === 'telemetry')?.message;
}

/** The metric of the alerting service that measures what the alert complains of, its own expression first; none when its words do not name one kind. */
export function complaintOf(incident: Incident, brief: Brief): readonly Evidence[] {
  const complaint = namedSymptoms([incident.title, ...Object.values(incident.annotations)].join(' '));
  if (complaint.size !== 1 || (brief.alertMetricIds ?? []).length > 0) return [];
  const isComplaint = (item: Evidence) =>
    item.kind === 'metric' &&
    item.service === incident.service &&
    isSymptom(item) &&
    isClear(item) &&
    [...namedSymptoms(item.statement.split('; ')[0] ?? '')].every((kind) => complaint.has(kind));
  return brief.evidence.filter(isComplaint).slice(0, 1);
}

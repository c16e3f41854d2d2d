import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Evidence } from '../../domain/evidence.ts';
import type { Hypothesis } from '../../domain/hypothesis.ts';
import type { Incident } from '../../domain/incident.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import type { RootCauseType } from '../../domain/root-cause-type.ts';
import { leadOfCheck } from '../../funnel/analyst/health.ts';
import { chanceOfReal } from '../../funnel/rank/confidence.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { refutationOf } from './refutations.ts';

const MOST = 4;
const FEWEST = 2;
const MOST_SUSPECTS = 3;
/** A score, and a part of the first one, below which a suspect shows everyday noise. */
const NOISE_SCORE = 0.3;
const NOTABLE_SHARE = 0.15;
/** Below this the ranker's first suspect may well be noise itself. */
const DOUBTFUL = 0.3;
/** A change this long before the alert may have set it off. */
const RECENT_CHANGE_MS = 30 * 60_000;
const MOST_IDS = 10;
/** What rose before the alert may be seen only in the next sample. */
const SAMPLED_LATE_MS = 2 * 60_000;
/** Metrics that count what comes in; how long it takes, waits or fails says nothing about how much it is. */
const COUNTS_REQUESTS = /requests?|\brps\b|\bqps\b|traffic|throughput/i;
const COUNTS_NO_LOAD = /in_?flight|duration|latency|seconds|error|fail|wait|pending|queue|\bp\d\d|_p\d\d/i;
/** By half and more. */
const ROSE_MUCH = /\((?:\+(?:[5-9]\d|[\d,]{3,})(?:\.\d+)? %|×\d)/;

/** A hypothesis without what its place in the list decides. */
type Draft = Omit<Hypothesis, 'id' | 'prior' | 'contradicting' | 'refutedBy'> & { readonly weight: number };

/**
 * 2 to 4 explanations that differ in whom they name, the ranker's leader first: its notable suspects, then what else the brief suggests (a change just
 * before the alert, the alerting service itself, load from outside, nothing wrong). Deterministic. Text of others is cleaned, yet still theirs: fence it.
 */
export function formHypotheses(incident: Incident, brief: Brief): readonly Hypothesis[] {
  const suspects = notableSuspects(incident, brief);
  const [leader, second, third] = suspects.map((suspect, place) => ofSuspect(suspect, place === 0, incident, brief));
  const ordered = [
    leader,
    second,
    ofChange(incident, brief, leader?.service),
    ofAlerting(incident, brief),
    ofLoad(incident, brief),
    ofNothing(incident, brief),
    third,
  ];
  const found = distinct(ordered.filter((draft) => draft !== undefined)).slice(0, MOST);
  const chosen = found.length < FEWEST ? distinct([...found, LOAD, NOTHING]).slice(0, FEWEST) : found;
  return inOrder(chosen, brief.ranking.confidence);
}

function notableSuspects(incident: Incident, brief: Brief): readonly Suspect[] {
  const scored = brief.ranking.suspects.filter(({ score }) => score > 0);
  const first = incident.kind === 'check' ? leadOfCheck(brief) : scored[0];
  if (!first) return [];
  const least = Math.max(NOISE_SCORE, NOTABLE_SHARE * first.score);
  const others = scored.filter(({ service, score }) => service !== first.service && score >= least);
  return [first, ...others].slice(0, MOST_SUSPECTS);
}

function ofSuspect(suspect: Suspect, isLeader: boolean, incident: Incident, brief: Brief): Draft {
  const { service, rootCauseType: type, reasons, mechanism = [], trigger, score } = suspect;
  const ids = [...(trigger ? [trigger] : []), ...mechanism, ...reasons].flatMap(({ evidenceIds }) => evidenceIds);
  const cause = trigger ? `, set off by a change (${trigger.evidenceIds.join(', ')})` : '';
  const isSymptom = service === incident.service && !isLeader ? ', not in what it calls' : '';
  const statement = `It began in ${named(service)}: ${inWords(type)}${cause}${isSymptom}`;
  return { service, type, statement, supporting: existing(ids, brief), weight: chanceOfReal(score) };
}

/** The latest change of a service other than the leader, shortly before the alert: the leader's own belongs to its own hypothesis. */
function ofChange(incident: Incident, brief: Brief, leader: string | null | undefined): Draft | undefined {
  const before = ({ kind, service, atMs = Number.NaN }: Evidence) =>
    kind === 'change' &&
    service !== undefined &&
    service !== leader &&
    atMs <= incident.startsAtMs &&
    atMs >= incident.startsAtMs - RECENT_CHANGE_MS;
  const [latest] = brief.evidence.filter(before).toSorted((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0));
  if (latest?.service === undefined) return undefined;
  const type = /^(?:rollout|deploy|release|scal)/i.test(latest.statement) ? 'deployment_change' : 'config_change';
  const when = latest.atMs === undefined ? '' : `, ${relativeTime(latest.atMs, incident.startsAtMs)},`;
  const statement = `The change of ${named(latest.service)} (${latest.id})${when} set it off`;
  return { service: latest.service, type, statement, supporting: [latest.id], weight: 0.2 };
}

/** That the service which alerts is no victim of what it calls. Of a check nothing alerts. */
function ofAlerting({ service, kind }: Incident, brief: Brief): Draft | undefined {
  if (service === undefined || kind === 'check') return undefined;
  const suspect = brief.ranking.suspects.find((one) => one.service === service);
  if (!suspect) return undefined;
  const ids = suspect.reasons.flatMap(({ evidenceIds }) => evidenceIds);
  const statement = `It began in ${named(service)} itself, which alerts, and not in what it calls`;
  return {
    service,
    type: suspect.rootCauseType,
    statement,
    supporting: existing(ids, brief),
    weight: chanceOfReal(suspect.score),
  };
}

const LOAD: Draft = {
  service: null,
  type: 'traffic_surge',
  statement: 'More load from outside than usual overtaxes the system; nothing in it is broken',
  supporting: [],
  weight: 0.15,
};
const NOTHING: Draft = {
  service: null,
  type: 'none',
  statement: 'Nothing is wrong: what is measured is within what is usual, or the measurement is',
  supporting: [],
  weight: 0.15,
};

/** Only where the brief shows more requests, from before the alert on. */
function ofLoad({ startsAtMs }: Incident, brief: Brief): Draft | undefined {
  const rising = brief.evidence.filter(
    (item) => isMoreLoad(item) && (item.atMs ?? startsAtMs) <= startsAtMs + SAMPLED_LATE_MS,
  );
  return rising.length > 0
    ? {
        ...LOAD,
        supporting: existing(
          rising.map(({ id }) => id),
          brief,
        ),
      }
    : undefined;
}

function isMoreLoad({ kind, statement }: Evidence): boolean {
  const [name = '', ...change] = statement.split(': ');
  const counts = COUNTS_REQUESTS.test(name) && !COUNTS_NO_LOAD.test(name);
  return kind === 'metric' && counts && ROSE_MUCH.test(change.join(': '));
}

/** For checks, and where what was found may be noise. */
function ofNothing({ kind }: Incident, { ranking, trouble = [] }: Brief): Draft | undefined {
  const isCalm = kind === 'check' && trouble.length === 0;
  return isCalm || ranking.confidence < DOUBTFUL ? NOTHING : undefined;
}

/** The first of those that name the same. */
function distinct(drafts: readonly Draft[]): readonly Draft[] {
  const keyOf = ({ service, type }: Draft) => service ?? `(${type})`;
  return drafts.filter((draft, place) => drafts.findIndex((other) => keyOf(other) === keyOf(draft)) === place);
}

/** The leader has the ranker's confidence; the others share what is left, by weight. */
function inOrder(drafts: readonly Draft[], confidence: number): readonly Hypothesis[] {
  const total = drafts.slice(1).reduce((sum, { weight }) => sum + weight, 0);
  return drafts.map(({ weight, ...draft }, place) => {
    const prior = place === 0 ? confidence : (1 - confidence) * (weight / Math.max(1, total));
    const refutedBy = refutationOf(draft.type, draft.service);
    return { ...draft, id: `H${place + 1}`, refutedBy, prior: Math.round(prior * 1000) / 1000, contradicting: [] };
  });
}

function existing(ids: readonly string[], { evidence }: Brief): readonly string[] {
  const known = new Set(evidence.map(({ id }) => id));
  return [...new Set(ids)].filter((id) => known.has(id)).slice(0, MOST_IDS);
}

function named(service: string): string {
  return clip(oneLine(service), 120) || '(unnamed)';
}

function inWords(type: RootCauseType): string {
  if (type === 'database') return 'trouble of the database';
  return type === 'unknown' ? 'a cause of unknown kind' : type.replaceAll('_', ' ');
}

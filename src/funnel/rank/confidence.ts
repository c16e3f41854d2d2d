import type { Incident } from '../../domain/incident.ts';
import { namespaceOf } from '../../domain/labels.ts';
import type { Telemetry } from '../../domain/telemetry.ts';
import { textAt } from '../events/json-path.ts';
import type { IncidentModel } from '../incident-model.ts';
import { duration } from '../../domain/relative-time.ts';
import type { ClueType } from './clue.ts';
import type { Standing } from './fusion.ts';

export interface Confidence {
  readonly value: number;
  /** At most three, in plain words, the figures in brackets. */
  readonly reasons: readonly string[];
  /** Reasons that hold whoever is first: what could not be weighed, because it was not there. */
  readonly blindSpots: readonly string[];
}

const LOWEST = 0.05;
const HIGHEST = 0.97;
/** A clue of at least this weighted score counts as a type that agrees. */
const AGREES = 0.5;
/** Below this, what was found is everyday noise. */
const NOISE_SCORE = 0.1;
/** Whole profiles and merely unusual metrics tell who is loud, not who is to blame: led by them alone, a ranking is held to be right in four of five cases at most. */
const INDIRECT: ReadonlySet<ClueType> = new Set(['disturbance', 'generic']);
const INDIRECT_CHANCE = 0.8;
/** In a cluster something is always broken: where the alert names nothing, that it is broken does not make it the cause. */
const OF_STATE: ReadonlySet<ClueType> = new Set(['object', 'change']);
const AT_LARGE_CHANCE = 0.3;
/** A long tail of services with a little noise each says nothing against the first. */
const NEAREST = 3;
/** How fast a rival's chance falls with its distance: at a tenth of the first score behind it is half of the first's, at a third a tenth. */
const RIVALRY = 7;

/**
 * How far the first place can be trusted, 0.05–0.97; 0 when nothing is anomalous. A product of
 * - the chance that what was found is real, logistic(−1.5 + 1.9 × score + 0.15 × (agreeing types − 1)), of at most three types;
 * - 0.8 where the heaviest clue of the first is a whole profile or an unusual metric;
 * - 0.3 where the alert names neither service nor namespace and only states and changes speak;
 * - the first's chance among those who show evidence, 1 / (1 + Σ exp(−7 × margin)) over the nearest three: two who look alike share it, so a tie is
 *   never above one half.
 *
 * Set by judgement, not fitted, though raised once when the development recordings showed it too low. Rises with score and margins while the heaviest
 * clue is of the same kind.
 */
export function confidenceOf(model: IncidentModel, standings: readonly Standing[]): Confidence {
  const [first, ...others] = standings;
  const blindSpots = missingData(model);
  if (!first || first.score < NOISE_SCORE) return { value: 0, reasons: [NOTHING_ANOMALOUS, ...blindSpots], blindSpots };
  const agreeing = first.clues.filter(({ score }) => score > AGREES);
  const isIndirect = first.clues[0] !== undefined && INDIRECT.has(first.clues[0].clue.type);
  const isAtLarge = namesNothing(model.incident) && first.clues.every(({ clue }) => OF_STATE.has(clue.type));
  const chance = (isIndirect ? INDIRECT_CHANCE : 1) * (isAtLarge ? AT_LARGE_CHANCE : 1);
  const isReal = chanceOfReal(first.score, agreeing.length) * chance;
  const rivals = others.filter(({ score }) => score >= NOISE_SCORE);
  const chances = rivals
    .slice(0, NEAREST)
    .reduce((sum, { score }) => sum + Math.exp(-RIVALRY * (1 - score / first.score)), 1);
  const value = Math.max(LOWEST, Math.min(HIGHEST, isReal / chances));
  const types = agreeing.map(({ clue }) => clue.type);
  const atLarge = isAtLarge
    ? [`${LOWERS}the alert names neither service nor namespace: what is broken need not be its cause`]
    : [];
  return {
    value: Number(value.toFixed(3)),
    reasons: raisingFirst([...atLarge, leadReason(first, rivals), agreementReason(types), ...blindSpots]).slice(0, 3),
    blindSpots,
  };
}

/** The only reason where no service shows evidence. */
export const NOTHING_ANOMALOUS = 'nothing anomalous was found';
/** Opens a reason that speaks against the confidence, so that it does not read like one for it. */
const LOWERS = 'although: ';

function raisingFirst(reasons: readonly string[]): string[] {
  return reasons.toSorted((a, b) => Number(a.startsWith(LOWERS)) - Number(b.startsWith(LOWERS)));
}

/** The chance that evidence of this weight is no everyday noise, 0–1. */
export function chanceOfReal(score: number, agreeingTypes = 1): number {
  return 1 / (1 + Math.exp(1.5 - 1.9 * score - 0.15 * (Math.min(Math.max(agreeingTypes, 1), 3) - 1)));
}

/** From these margins on, relative to the first score. */
const FAR_BEHIND = 0.5;
const BEHIND = 0.2;

function leadReason(first: Standing, [second, third]: readonly Standing[]): string {
  if (!second) return `only ${first.service} shows evidence`;
  const margin = 1 - second.score / first.score;
  const figures = `the evidence against it weighs ${shareOf(second, first)} of that against ${first.service}`;
  if (margin >= FAR_BEHIND) return `nothing else comes close (next is ${second.service}: ${figures})`;
  if (margin >= BEHIND) return `${second.service} is clearly less suspicious (${figures})`;
  const also = third && 1 - third.score / first.score < BEHIND ? `, and so is ${third.service}` : '';
  return `${LOWERS}${second.service} is nearly as suspicious (${figures})${also}`;
}

/** `28 %`: a score alone says nothing to a reader. */
export function shareOf(one: { readonly score: number }, first: { readonly score: number }): string {
  return first.score > 0 ? `${Math.round((100 * one.score) / first.score)} %` : 'more than 100 %';
}

const KINDS_IN_WORDS: Readonly<Record<ClueType, string>> = {
  share: 'time or errors that arise in it',
  edge: 'slow calls to it',
  trace: 'traces',
  cpu: 'processor time',
  memory: 'memory',
  limit: 'a used-up resource',
  'new-error': 'its own new errors',
  blame: "its callers' errors",
  'missing-line': 'missing log lines',
  'flow-break': 'calls it no longer makes',
  object: 'states and events',
  change: 'a change shortly before',
  gone: 'its silence',
  disturbance: 'its resource profile',
  generic: 'unusual metrics',
};

const MOST_KINDS = 4;

function agreementReason(types: readonly ClueType[]): string {
  if (types.length === 0) return `${LOWERS}all evidence is weak`;
  const words = types.map((type) => KINDS_IN_WORDS[type]);
  if (types.length === 1) return `${LOWERS}it rests on one kind of evidence (${words[0]})`;
  const more = words.length > MOST_KINDS ? ', …' : '';
  return `${types.length} kinds of evidence agree (${words.slice(0, MOST_KINDS).join(', ')}${more})`;
}

/** Checks look at everything on purpose. */
function namesNothing({ kind, service, labels }: Incident): boolean {
  return kind === 'incident' && service === undefined && namespaceOf(labels) === undefined;
}

/** A node is no service, yet what is known of it was looked at. */
function isNode(name: string | undefined, { objects }: Telemetry): boolean {
  return objects.some((object) => textAt(object, 'kind') === 'Node' && textAt(object, 'metadata', 'name') === name);
}

function missingData(model: IncidentModel): string[] {
  const { telemetry, triggerMs, services } = model;
  const isCheck = model.incident.kind === 'check';
  const absent: string[] = [];
  if (telemetry.series.length === 0) absent.push('metrics');
  if (telemetry.logs.length === 0) absent.push('logs');
  if (telemetry.spans.length === 0) absent.push('traces');
  if (telemetry.objects.length === 0 && telemetry.events.length === 0) absent.push('object states or events');
  const reasons: string[] = [];
  if (services.alerting === undefined && !isCheck && !isNode(model.incident.service, telemetry))
    reasons.push(`${LOWERS}the alerting service is not among the observed services`);
  const lastMs = model.series.reduce((latest, view) => Math.max(latest, view.timesMs.at(-1) ?? 0), 0);
  if (lastMs > 0 && lastMs < triggerMs)
    reasons.push(`${LOWERS}metrics end ${duration(triggerMs - lastMs)} before the ${isCheck ? 'check' : 'alert'}`);
  if (absent.length) reasons.push(`${LOWERS}there were no ${absent.join(', ')} to look at`);
  return reasons;
}

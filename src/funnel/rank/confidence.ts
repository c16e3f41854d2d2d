import type { IncidentModel } from '../incident-model.ts';
import { duration } from '../../domain/relative-time.ts';
import { percent } from './clue.ts';
import type { Standing } from './fusion.ts';

export interface Confidence {
  readonly value: number;
  readonly reasons: readonly string[];
}

const LOWEST = 0.05;
const HIGHEST = 0.95;
/** A clue of at least this weighted score counts as a type that agrees. */
const AGREES = 0.5;

/** A lead is worth its full margin from this score on: being far ahead with next to nothing proves little. */
const FULL_MARGIN_SCORE = 1;
/** Below this, what was found is everyday noise. */
const NOISE_SCORE = 0.1;

/**
 * How far the first place can be trusted, 0.05–0.95: logistic(−2.2 + 2.6 × margin + 0.75 × score (at most 4)
 * + 0.15 × (agreeing types − 1)). The margin is relative to the first score,
 * damped for scores below 1. Set by judgement, not fitted; monotone in each term. 0 when nothing is anomalous.
 */
export function confidenceOf(model: IncidentModel, standings: readonly Standing[]): Confidence {
  const [first, second] = standings;
  if (!first || first.score < NOISE_SCORE)
    return { value: 0, reasons: ['nothing anomalous was found', ...missingData(model)] };
  const margin = (first.score - (second?.score ?? 0)) / first.score;
  const agreeing = first.clues.filter(({ score }) => score > AGREES).length;
  const lead = margin * Math.min(1, first.score / FULL_MARGIN_SCORE);
  const exponent = -2.2 + 2.6 * lead + 0.75 * Math.min(first.score, 4) + 0.15 * (Math.min(agreeing, 3) - 1);
  const value = Math.max(LOWEST, Math.min(HIGHEST, 1 / (1 + Math.exp(-exponent))));
  const reasons = [marginReason(first, second, margin), agreementReason(first, agreeing), ...missingData(model)];
  return { value: Number(value.toFixed(3)), reasons };
}

function marginReason(first: Standing, second: Standing | undefined, margin: number): string {
  if (!second || second.score <= 0) return `no service but ${first.service} shows evidence`;
  const lead = margin >= 0.5 ? 'far ahead of' : margin >= 0.2 ? 'ahead of' : 'hardly ahead of';
  return `${first.service} scores ${first.score.toFixed(2)}, ${lead} ${second.service} with ${second.score.toFixed(2)} (margin ${percent(margin)})`;
}

function agreementReason(first: Standing, agreeing: number): string {
  const types = first.clues.slice(0, Math.max(agreeing, 1)).map(({ clue }) => clue.type);
  if (agreeing > 1) return `${agreeing} kinds of evidence agree: ${types.join(', ')}`;
  return agreeing === 1 ? `one kind of evidence only: ${types.join('')}` : 'all evidence is weak';
}

/** What could not be weighed, because it was not there. */
function missingData(model: IncidentModel): string[] {
  const { telemetry, triggerMs, services } = model;
  const absent: string[] = [];
  if (telemetry.series.length === 0) absent.push('metrics');
  if (telemetry.logs.length === 0) absent.push('logs');
  if (telemetry.spans.length === 0) absent.push('traces');
  if (telemetry.objects.length === 0 && telemetry.events.length === 0) absent.push('object states and events');
  const reasons = absent.length ? [`without ${absent.join(', ')}`] : [];
  if (services.alerting === undefined) reasons.push('the alerting service is not among the observed services');
  const lastMs = model.series.reduce((latest, view) => Math.max(latest, view.timesMs.at(-1) ?? 0), 0);
  if (lastMs > 0 && lastMs < triggerMs) reasons.push(`metrics end ${duration(triggerMs - lastMs)} before the alert`);
  return reasons;
}

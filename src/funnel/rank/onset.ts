import type { RankContext } from './clue.ts';

/** Alerts with long averages come late, yet not by more than this. */
const LATEST_ALERT_MS = 20 * 60_000;
/** A state that can stop a service. */
const GRAVE = 0.45;
/** A probe fails several times before a pod is called unready. */
const BEFORE_STATE_MS = 60_000;
/** Errors are looked at in steps of this length. */
const STEP_MS = 15_000;
/** So much must be known of the time before an onset. */
const LEAST_BEFORE_MS = 180_000;
/** Errors have set in where their rate has multiplied by this, and by more than chance (log-likelihood ratio of a Poisson rate). */
const LEAST_RATIO = 3;
const LEAST_LIKELIHOOD = 12;

export interface ErrorTimes {
  /** Time of the first line of all, of whatever kind: since then errors would have been seen. */
  readonly firstMs: number;
  readonly timesMs: readonly number[];
}

/**
 * When the incident began, epoch ms, if that was earlier than the usual window before the alert: when the first object became as bad as
 * it is, or when errors set in. Lines since then are no usual time to compare with. Undefined: no earlier sign.
 */
export function earlyOnset(context: RankContext, errors: ErrorTimes): number | undefined {
  const { fromMs } = context.model.window;
  const onsets = [stateOnset(context), errorOnset(context, errors)].filter((atMs) => atMs !== undefined);
  const earliest = Math.min(...onsets);
  return earliest < fromMs ? earliest : undefined;
}

function stateOnset({ model, input }: RankContext): number | undefined {
  const firstMs = input.states
    .filter(({ evidence, severity }) => evidence.kind === 'state' && severity >= GRAVE)
    .flatMap(({ evidence }) => evidence.atMs ?? [])
    .filter((atMs) => atMs >= model.triggerMs - LATEST_ALERT_MS && atMs <= model.triggerMs)
    .reduce((first, atMs) => Math.min(first, atMs), Infinity);
  return firstMs < Infinity ? firstMs - BEFORE_STATE_MS : undefined;
}

/** The split of the time until the alert that makes the error counts on both sides most likely, each with a rate of its own. */
function errorOnset({ model: { triggerMs } }: RankContext, { firstMs, timesMs }: ErrorTimes): number | undefined {
  const sorted = timesMs.filter((timeMs) => timeMs <= triggerMs).toSorted((a, b) => a - b);
  let best: { readonly atMs: number; readonly likelihood: number } | undefined;
  let before = 0;
  const earliestMs = Math.max(firstMs + LEAST_BEFORE_MS, triggerMs - LATEST_ALERT_MS);
  for (let atMs = earliestMs; atMs < triggerMs; atMs += STEP_MS) {
    while (before < sorted.length && (sorted[before] ?? Infinity) < atMs) before++;
    const likelihood = gain(
      { count: before, ms: atMs - firstMs },
      { count: sorted.length - before, ms: triggerMs - atMs },
    );
    if (likelihood > (best?.likelihood ?? LEAST_LIKELIHOOD)) best = { atMs, likelihood };
  }
  return best?.atMs;
}

interface Stretch {
  readonly count: number;
  readonly ms: number;
}

/** Log-likelihood of two Poisson rates over that of one; 0 where the second is not clearly higher. */
function gain(before: Stretch, after: Stretch): number {
  const [usual, now] = [(before.count + 0.5) / before.ms, after.count / after.ms];
  if (now < LEAST_RATIO * usual) return 0;
  const common = (before.count + after.count) / (before.ms + after.ms);
  const term = ({ count }: Stretch, rate: number) => (count > 0 ? count * Math.log(rate / common) : 0);
  return term(before, usual) + term(after, now);
}

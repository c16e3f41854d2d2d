import { duration, relativeTime } from '../../domain/relative-time.ts';
import type { Fact } from '../metrics/metric-evidence.ts';
import type { Clue, RankContext } from './clue.ts';

/** Fewer samples than this and an end is not worth mentioning. */
const MIN_SAMPLES = 20;
const MIN_SILENCE_MS = 60_000;

/**
 * Gone. Measures that every series of a service stops near the alert while those of others go on: the process, its node or
 * its scrape target is no more.
 */
export function goneClues(context: RankContext): Clue[] {
  const { model } = context;
  const lastOf = new Map<string, { lastMs: number; samples: number }>();
  let endMs = 0;
  for (const view of model.series) {
    const lastMs = view.timesMs.at(-1);
    if (lastMs === undefined) continue;
    const known = lastOf.get(view.service) ?? { lastMs: 0, samples: 0 };
    lastOf.set(view.service, { lastMs: Math.max(known.lastMs, lastMs), samples: known.samples + view.timesMs.length });
    endMs = Math.max(endMs, lastMs);
  }
  const earliestMs = model.window.fromMs - 3 * model.samplingMs;
  return [...lastOf].flatMap(([service, { lastMs, samples }]) => {
    const silenceMs = endMs - lastMs;
    const isGone = silenceMs > Math.max(MIN_SILENCE_MS, 3 * model.samplingMs) && lastMs >= earliestMs;
    return isGone && samples >= MIN_SAMPLES ? [goneClue(service, lastMs, silenceMs, model.triggerMs)] : [];
  });
}

function goneClue(service: string, lastMs: number, silenceMs: number, triggerMs: number): Clue {
  const when = relativeTime(lastMs, triggerMs);
  const statement = `all series of ${service} stop ${when} and stay silent for ${duration(silenceMs)}`;
  const fact: Fact = { key: `gone:${service}`, evidence: { kind: 'metric', service, statement, atMs: lastMs } };
  const strength = Math.min(1, 0.5 + silenceMs / 600_000);
  return { type: 'gone', service, strength, statement: () => statement, rootCauseType: 'unknown', facts: () => [fact] };
}

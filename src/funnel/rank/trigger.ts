import type { StateFinding } from '../layers.ts';
import type { RankContext } from './clue.ts';

/** Older changes may be causes too, yet most are not. */
export const MAX_CHANGE_AGE_MS = 30 * 60_000;
/** Clocks of who changes and who measures differ, and a sample tells of the time before it. */
const CLOCK_SKEW_MS = 60_000;

/**
 * The change of a service that may have set its trouble off: the last one before the onset. `onsetMs` is the first sign of trouble, the
 * alert's time when there is none. A later change is an answer to the trouble, not its cause.
 */
export function triggerOf(context: RankContext, service: string, onsetMs: number): StateFinding | undefined {
  const { samplingMs } = context.model;
  const latestMs = onsetMs + Math.max(CLOCK_SKEW_MS, samplingMs);
  const before = context.input.states.filter((finding) => {
    const atMs = finding.evidence.atMs ?? NaN;
    return (
      finding.service === service &&
      finding.evidence.kind === 'change' &&
      finding.severity > 0 &&
      atMs <= latestMs &&
      atMs >= onsetMs - MAX_CHANGE_AGE_MS
    );
  });
  return before.sort((a, b) => (b.evidence.atMs ?? 0) - (a.evidence.atMs ?? 0))[0];
}

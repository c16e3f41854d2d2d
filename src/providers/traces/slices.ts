import type { GatherWindow, TimeWindow } from '../../domain/provider.ts';

/** Stretches that both sides are cut into together. */
const SLICES = 12;
/** Of these at least so many are the incident's, which is short as a rule. */
const LEAST_OF_INCIDENT = 4;

export interface Sides<T> {
  readonly incident: T;
  readonly reference: T;
}

/**
 * The incident's side (all since the end of the reference) and the fault-free one, cut into stretches of the same length, so that so many traces of a
 * stretch mean the same on both. Without a reference all of the window is the incident's.
 */
export function slicesOf(window: GatherWindow): Sides<readonly TimeWindow[]> {
  const { reference } = window;
  if (!reference) return { incident: cut(window, SLICES), reference: [] };
  const incident = { fromMs: reference.toMs, toMs: window.toMs };
  const [now, calm] = [incident.toMs - incident.fromMs, reference.toMs - reference.fromMs];
  const count = Math.min(SLICES - 1, Math.max(LEAST_OF_INCIDENT, Math.round((SLICES * now) / (now + calm))));
  const length = now / count;
  const calmCount = Math.max(1, Math.min(SLICES - count, Math.floor(calm / length)));
  // The fault-free time is longer as a rule: stretches of the same length, spread over all of it.
  const every = calm / calmCount;
  return {
    incident: cut(incident, count),
    reference: Array.from({ length: calmCount }, (_, i) => {
      const toMs = reference.toMs - i * every;
      return { fromMs: Math.max(toMs - length, reference.fromMs), toMs };
    }).reverse(),
  };
}

/** The window in so many parts of one length. */
export function cut({ fromMs, toMs }: TimeWindow, count: number): readonly TimeWindow[] {
  const edge = (i: number) => fromMs + ((toMs - fromMs) * i) / count;
  return Array.from({ length: count }, (_, i) => ({ fromMs: edge(i), toMs: edge(i + 1) }));
}

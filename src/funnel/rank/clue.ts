import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { TemplatedLogs } from '../logs/templated-logs.ts';
import type { IncidentModel } from '../incident-model.ts';
import type { StateFinding } from '../layers.ts';
import type { Fact } from '../metrics/metric-evidence.ts';
import type { SeriesView } from '../metrics/series-view.ts';

/** Physical effects that point at a service. Each has a module of its own that says what it measures. */
export const CLUE_TYPES = [
  'share',
  'edge',
  'trace',
  'cpu',
  'memory',
  'limit',
  'new-error',
  'blame',
  'missing-line',
  'flow-break',
  'object',
  'change',
  'gone',
  'disturbance',
  'generic',
] as const;
export type ClueType = (typeof CLUE_TYPES)[number];

/** One measured effect that points at one service. */
export interface Clue {
  readonly type: ClueType;
  readonly service: string;
  /** Who measured it, when the effect is seen from the other end of a call. */
  readonly caller?: string;
  /** Effect × surprise, 0–1. The effect is absolute (ms, share of the symptom, fraction of a limit, count), so types compare. */
  readonly strength: number;
  /** One line, for people, with the figures of its facts. Called only for clues that become reasons, as `facts` is. */
  readonly statement: () => string;
  /** What this effect alone says about the cause; how it counts is decided in `decide-type.ts`. */
  readonly rootCauseType: RootCauseType;
  /** The facts the clue rests on. Wording a fact costs more than weighing it. */
  readonly facts: () => readonly Fact[];
}

export interface RankInput {
  readonly templated: TemplatedLogs;
  readonly states: readonly StateFinding[];
}

/** What a clue module reads. */
export interface RankContext {
  readonly model: IncidentModel;
  readonly input: RankInput;
  readonly seriesOf: ReadonlyMap<string, readonly SeriesView[]>;
  /** Per-edge series by the service that calls, whoever measured them. */
  readonly callsOf: ReadonlyMap<string, readonly SeriesView[]>;
  /** Services reachable by calls from the alerting one, itself included; undefined when nothing is known about reachability. */
  readonly reachable: ReadonlySet<string> | undefined;
}

export function rankContext(model: IncidentModel, input: RankInput): RankContext {
  const reachable = model.services.names.filter((name) => model.services.distance(name) !== undefined);
  return {
    model,
    input,
    seriesOf: groupBy(model.series, ({ service }) => service),
    callsOf: groupBy(model.series, ({ edge }) => edge?.caller),
    reachable: reachable.length > 1 ? new Set(reachable) : undefined,
  };
}

/** Lists by key, in the order given; what has no key is left out. */
export function groupBy<T>(
  all: readonly T[],
  keyOf: (one: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

export function percent(fraction: number): string {
  return `${Math.round(fraction * 100)} %`;
}

/** The strongest clue of each service, best first. */
export function strongestByService(clues: readonly Clue[]): Clue[] {
  const best = new Map<string, Clue>();
  for (const clue of clues) {
    if (clue.strength > (best.get(clue.service)?.strength ?? 0)) best.set(clue.service, clue);
  }
  return [...best.values()].sort((a, b) => b.strength - a.strength);
}

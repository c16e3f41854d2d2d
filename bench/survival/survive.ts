import { distil } from '../../src/funnel/distil.ts';
import { DRIFT_KINDS } from './drift-kinds.ts';
import { FORMAT_KINDS } from './format-kinds.ts';
import type { SurvivalKind } from './kind.ts';
import { LINE_KINDS } from './line-kinds.ts';
import { METRIC_KINDS } from './metric-kinds.ts';
import { setScene, telemetryOf, type Haystack } from './scene.ts';
import { STATE_KINDS } from './state-kinds.ts';
import { TRACE_KINDS } from './trace-kinds.ts';

export const SURVIVAL_KINDS: readonly SurvivalKind[] = [
  ...LINE_KINDS,
  ...FORMAT_KINDS,
  ...DRIFT_KINDS,
  ...METRIC_KINDS,
  ...STATE_KINDS,
  ...TRACE_KINDS,
];

export interface Survival {
  readonly name: string;
  /** The line of the brief that shows the fact; undefined when it was lost. */
  readonly line: string | undefined;
  readonly tokens: number;
  readonly text: string;
}

/** How many others a fact is planted among. A cluster has thousands of objects, not a hundred thousand. */
export const OTHERS: Readonly<Record<Haystack, number>> = {
  lines: 100_000,
  samples: 125_000,
  events: 100_000,
  objects: 3000,
  spans: 100_000,
};

/** Plants one kind among so many others and looks for it in the brief. */
export function survive(kind: SurvivalKind, others: Readonly<Record<Haystack, number>>, seed: number): Survival {
  const scene = setScene(kind.haystack, others[kind.haystack], seed);
  kind.plant(scene);
  const brief = distil(scene.incident, telemetryOf(scene), { tokenBudget: 5820, eventWindowMs: 300_000 });
  const line = evidenceLines(brief.text).find((text) => kind.shows.every((pattern) => pattern.test(text)));
  return { name: kind.name, line, tokens: brief.tokens, text: brief.text };
}

/** Facts stand in lines with an id; a count in a note is no fact. */
function evidenceLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => /^\[[A-Z]\d+\] /.test(line));
}

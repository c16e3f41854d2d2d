import type { LogRecord } from '../../src/domain/telemetry.ts';
import type { Haystack, Scene } from './scene.ts';
import { TROUBLE } from './timeline.ts';

/** One kind of decisive fact: how it is planted, and the words and figures by which the brief must show it. */
export interface SurvivalKind {
  readonly name: string;
  readonly haystack: Haystack;
  readonly plant: (scene: Scene) => void;
  /** All must match one and the same line of evidence. */
  readonly shows: readonly RegExp[];
}

/** A kind among log lines. */
export function logKind(
  name: string,
  plant: (scene: Scene) => readonly LogRecord[],
  ...shows: readonly RegExp[]
): SurvivalKind {
  const add = (scene: Scene) => {
    // Before it is added to: a kind may put other logs in the place of the quiet ones.
    const lines = plant(scene);
    scene.logs.push(...lines);
  };
  return { name, haystack: 'lines', plant: add, shows: [/^\[L/, ...shows] };
}

/** When a single thing happens: 40 s after the trouble began. */
export const ONCE = TROUBLE[0] + 40;

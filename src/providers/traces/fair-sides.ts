import type { Sides } from './slices.ts';
import type { StageRead } from './read-stage.ts';
import type { Trace } from './trace-server.ts';

export interface FairSides extends Sides<readonly Trace[]> {
  /** What was left away so that the sides can be compared, in words. */
  readonly notes: readonly string[];
}

/**
 * The traces that may be compared. A stretch counts only when every one of the `main` stages was read in it: failed traces without the others would look
 * like nothing but failures. A further stage counts only when it was read everywhere. Where no stretch of the incident was read whole, what came of the
 * incident is handed on without anything to compare it with.
 */
export function fairSides(main: readonly StageRead[], further: readonly StageRead[]): FairSides {
  const stretches = (side: keyof Sides<unknown>) =>
    Array.from({ length: main[0]?.[side].length ?? 0 }, (_, i) => {
      const parts = main.map((read) => read[side][i]);
      return { isWhole: parts.every((part) => part !== undefined), traces: parts.flatMap((part) => part ?? []) };
    });
  const [incident, reference] = [stretches('incident'), stretches('reference')];
  const all = [...incident, ...reference];
  const whole = all.filter(({ isWhole }) => isWhole).length;
  const notes =
    whole === all.length
      ? []
      : [`${all.length - whole} of ${all.length} stretches of time could not be read and are not compared.`];
  if (!incident.some(({ isWhole }) => isWhole)) {
    return { incident: incident.flatMap(({ traces }) => traces), reference: [], notes };
  }
  const complete = further.filter(isComplete);
  const dropped = further.filter((read) => !isComplete(read)).map(({ stage }) => stage.kind);
  const join = (side: keyof Sides<unknown>, own: typeof incident) => [
    ...own.filter(({ isWhole }) => isWhole).flatMap(({ traces }) => traces),
    ...complete.flatMap((read) => read[side].flatMap((traces) => traces ?? [])),
  ];
  return {
    incident: join('incident', incident),
    reference: join('reference', reference),
    notes:
      dropped.length === 0 ? notes : [...notes, `not compared, since not all were read: ${dropped.join(', ')} traces.`],
  };
}

function isComplete({ incident, reference }: StageRead): boolean {
  return [...incident, ...reference].every((traces) => traces !== undefined);
}

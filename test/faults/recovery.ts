import type { Member } from './process.ts';

interface Line {
  readonly time: number;
  readonly msg: string;
  readonly incidentId: string;
}

/**
 * How long each investigation that a kill cut short had to wait until it began again, ms. Read from the logs (`investigating`, `reported`), so nothing
 * but figures may depend on it.
 */
export function recoveries(members: readonly Member[], killedAtMs: ReadonlyMap<Member, number>): readonly number[] {
  const logs = members.map((member) => ({ member, lines: linesOf(member) }));
  const begun = logs.flatMap(({ lines }) => lines.filter(({ msg }) => msg === 'investigating'));
  return logs.flatMap(({ member, lines }) => {
    const diedMs = killedAtMs.get(member);
    if (diedMs === undefined) return [];
    const done = new Set(lines.filter(({ msg }) => msg === 'reported').map(({ incidentId }) => incidentId));
    const cut = lines.filter(({ msg, incidentId }) => msg === 'investigating' && !done.has(incidentId));
    return cut.flatMap(({ incidentId }) => {
      const again = begun
        .filter((line) => line.incidentId === incidentId && line.time > diedMs)
        .map(({ time }) => time);
      return again.length === 0 ? [] : [Math.min(...again) - diedMs];
    });
  });
}

function linesOf({ child }: Member): readonly Line[] {
  return child
    .output()
    .split('\n')
    .flatMap((text) => {
      if (!text.includes('"msg":"investigating"') && !text.includes('"msg":"reported"')) return [];
      try {
        const line = JSON.parse(text) as Line & { readonly time: number | string };
        return [{ ...line, time: typeof line.time === 'number' ? line.time : Date.parse(line.time) }];
      } catch {
        // The last line of a process that was killed may be cut.
        return [];
      }
    });
}

/** How well a grouping of log lines matches the true one. All figures are 0–1. */
export interface GroupingScore {
  /** Grouping accuracy: share of lines whose predicted group holds exactly the lines of one true group. */
  readonly ga: number;
  /** F1 over groups: every template counts once, however many lines it has. */
  readonly fga: number;
  /** Share of the five largest true groups that were found exactly. */
  readonly top5: number;
}

const TOP = 5;

interface GroupSize {
  readonly lines: number;
  /** The group of the other partition in which the first line of this one lies. */
  readonly partner: string;
  /** True while all lines seen lie in `partner`. */
  readonly pure: boolean;
}

/** Compares two partitions of the same lines, given as one label a line. Throws when the lengths differ. */
export function scoreGrouping(truth: readonly string[], predicted: readonly string[]): GroupingScore {
  if (truth.length !== predicted.length) {
    throw new Error(`Cannot score ${predicted.length} predicted labels against ${truth.length} true ones.`);
  }
  const trueGroups = partition(truth, predicted);
  const predictedGroups = partition(predicted, truth);
  const isCorrect = (group: GroupSize) => group.pure && predictedGroups.get(group.partner)?.lines === group.lines;

  const correct = [...trueGroups.values()].filter(isCorrect);
  const correctLines = correct.reduce((sum, group) => sum + group.lines, 0);
  const largest = [...trueGroups.values()].toSorted((a, b) => b.lines - a.lines).slice(0, TOP);
  return {
    ga: ratio(correctLines, truth.length),
    fga: ratio(2 * correct.length, trueGroups.size + predictedGroups.size),
    top5: ratio(largest.filter(isCorrect).length, largest.length),
  };
}

function partition(labels: readonly string[], others: readonly string[]): Map<string, GroupSize> {
  const groups = new Map<string, GroupSize>();
  labels.forEach((label, line) => {
    const other = others[line] ?? '';
    const group = groups.get(label);
    const next = group
      ? { ...group, lines: group.lines + 1, pure: group.pure && group.partner === other }
      : { lines: 1, partner: other, pure: true };
    groups.set(label, next);
  });
  return groups;
}

/** Of harmonic and plain means alike: nothing found in nothing is 0. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

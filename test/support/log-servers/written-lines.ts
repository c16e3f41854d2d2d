/** One line as every kind of server is given it. Fields that are not set are missing. */
export interface WrittenLine {
  readonly timeNs: bigint;
  readonly service: string;
  readonly namespace?: string;
  readonly level?: string;
  readonly traceId?: string;
  readonly message: string;
}

/** Names of the fields that say where a line comes from; the others are not indexed by Loki. */
export const STREAM_FIELDS = ['service', 'namespace'] as const;

/** The fields beside time and message. */
export function fieldsOf({ service, namespace, level, traceId }: WrittenLine): Readonly<Record<string, string>> {
  return {
    service,
    ...(namespace === undefined ? {} : { namespace }),
    ...(level === undefined ? {} : { level }),
    ...(traceId === undefined ? {} : { trace_id: traceId }),
  };
}

/** An RE2 expression with at most `(?i)` and `^…$` around it, as the providers write them. */
export function re2(pattern: string): RegExp {
  const inner = /^\^?\(\?i\)/.test(pattern) ? pattern.replace('(?i)', '') : pattern;
  return new RegExp(inner, inner === pattern ? 's' : 'is');
}

export function newestFirst(lines: readonly WrittenLine[]): readonly WrittenLine[] {
  return [...lines].reverse().sort((a, b) => (a.timeNs === b.timeNs ? 0 : a.timeNs < b.timeNs ? 1 : -1));
}

/** Of lines newest first those of a stretch of time, its end not included. Found by halving: there are many. */
export function within<T>(
  sorted: readonly T[],
  timeOf: (item: T) => bigint,
  fromNs: bigint,
  untilNs: bigint,
): readonly T[] {
  const firstBefore = (limitNs: bigint) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const item = sorted[middle];
      if (item !== undefined && timeOf(item) >= limitNs) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return sorted.slice(firstBefore(untilNs), firstBefore(fromNs));
}

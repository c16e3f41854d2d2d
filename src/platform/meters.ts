import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The values that each label may take. Anything else is counted as `other`, so that no sender can make the number of series grow. */
type LabelSets = Readonly<Record<string, readonly string[]>>;
type Labelled<L extends LabelSets> = Readonly<Record<keyof L & string, string>>;

const PREFIX = 'rootnote_';
const OTHER = 'other';
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 120, 300, 600];

/** What metrics are made with, all of one registry. */
export interface Meters {
  /** A counter at 0 for every combination of its labels, so that rates work from the first event. Returns how to add to it. */
  readonly count: <L extends LabelSets>(
    name: string,
    help: string,
    labels: L,
  ) => (values: Labelled<L>, by?: number) => void;
  /** Returns how to observe a value; buckets of seconds by default. */
  readonly histogram: <L extends LabelSets>(
    name: string,
    help: string,
    labels: L,
    buckets?: readonly number[],
  ) => (values: Labelled<L>, value: number) => void;
  /** Its labels come from code and are few. Returns how to set it; it is not there before. */
  readonly gauge: <N extends string>(name: string, help: string, labels: readonly N[]) => SetGauge<N>;
}

export interface SetGauge<N extends string = string> {
  (values: Record<N, string>, value: number): void;
  /** Nothing is known any more: an old value would be taken for the truth. */
  forget(): void;
}

export function metersOf(registry: Registry): Meters {
  return {
    count: (name, help, labels) => {
      const names = Object.keys(labels);
      const counter = new Counter({
        name: PREFIX + name,
        help,
        labelNames: names,
        registers: [registry],
      });
      const keyOf = (values: Readonly<Record<string, string>>) =>
        names.reduce((key, label) => `${key}${values[label]}\n`, '');
      // Made once: to find out which counter is meant costs more than to count.
      const counters = new Map(combinations(labels).map((values) => [keyOf(values), counter.labels(values)]));
      for (const one of counters.values()) one.inc(0);
      const close = closing(labels);
      return (values, by = 1) => (counters.get(keyOf(values)) ?? counter.labels(close(values))).inc(by);
    },
    histogram: (name, help, labels, buckets = SECONDS) => {
      const shape = { name: PREFIX + name, help, labelNames: Object.keys(labels), buckets: [...buckets] };
      const histogram = new Histogram({ ...shape, registers: [registry] });
      const close = closing(labels);
      return (values, value) => histogram.observe(close(values), value);
    },
    gauge: <N extends string>(name: string, help: string, labels: readonly N[]) => {
      const gauge = new Gauge({ name: PREFIX + name, help, labelNames: labels, registers: [registry] });
      const forget = () => {
        gauge.reset();
        // Without labels a reset leaves a 0, which would be a value.
        if (labels.length === 0) gauge.remove();
      };
      forget();
      return Object.assign((values: Record<N, string>, value: number) => gauge.set(values, value), { forget });
    },
  };
}

function closing(labels: LabelSets): (values: Readonly<Record<string, string>>) => Record<string, string> {
  const known = new Map(Object.entries(labels).map(([label, values]) => [label, new Set(values)]));
  const close = (label: string, value: string) => (known.get(label)?.has(value) ? value : OTHER);
  return (values) => Object.fromEntries(Object.entries(values).map(([label, value]) => [label, close(label, value)]));
}

function combinations(labels: LabelSets): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (rows, [label, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [label]: value }))),
    [{}],
  );
}

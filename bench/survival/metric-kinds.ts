import type { SurvivalKind } from './kind.ts';
import { series } from './quiet.ts';
import type { Scene } from './scene.ts';
import { TRIGGER_MS, TROUBLE } from './timeline.ts';

const inTrouble = (seconds: number): boolean => seconds >= TROUBLE[0];

/** One series among hundreds; `valueAt` gets the seconds from the trigger and a number in [0, 1). */
function metricKind(
  name: string,
  metric: string,
  valueAt: (seconds: number, random: number) => number,
  ...shows: readonly RegExp[]
): SurvivalKind {
  const plant = (scene: Scene) =>
    void scene.series.push(series('checkout', metric, (seconds) => valueAt(seconds, scene.random())));
  return { name, haystack: 'samples', plant, shows: [/^\[M/, /checkout/, new RegExp(metric), ...shows] };
}

export const METRIC_KINDS: readonly SurvivalKind[] = [
  metricKind(
    'a single sample of latency',
    'settle_duration_seconds_p99',
    (at, random) => (at === -60 ? 9.4 : 0.2 + 0.05 * random),
    /9\.4 s/,
  ),
  metricKind(
    'requests that drop to zero',
    'settle_requests_per_second',
    (at, random) => (inTrouble(at) ? 0 : 40 + 4 * random),
    /→ 0/,
  ),
  {
    name: 'a series that ends',
    haystack: 'samples',
    plant: (scene) => {
      const whole = series('checkout', 'settle_queue_consumers', () => 12 + scene.random());
      const kept = whole.timesMs.filter((timeMs) => timeMs < TRIGGER_MS + TROUBLE[0] * 1000).length;
      scene.series.push({ ...whole, timesMs: whole.timesMs.slice(0, kept), values: whole.values.slice(0, kept) });
    },
    shows: [/^\[M/, /checkout/, /settle_queue_consumers/, /no samples|ends|stopped|missing/],
  },
  {
    name: 'a gap of two minutes',
    haystack: 'samples',
    plant: (scene) => {
      const whole = series('checkout', 'settle_slots_in_use', () => 12 + scene.random());
      const isKept = (_: number, i: number) => {
        const seconds = ((whole.timesMs[i] ?? 0) - TRIGGER_MS) / 1000;
        return seconds < TROUBLE[0] || seconds > TROUBLE[0] + 130;
      };
      scene.series.push({ ...whole, timesMs: whole.timesMs.filter(isKept), values: whole.values.filter(isKept) });
    },
    shows: [/^\[M/, /checkout/, /settle_slots_in_use/, /no samples|gap|missing/],
  },
  {
    name: 'a counter that starts again',
    haystack: 'samples',
    plant: (scene) => {
      let total = 90_000;
      const next = (seconds: number) => {
        if (seconds === -60) total = 0;
        total += 30 + scene.random();
        return total;
      };
      scene.series.push(series('checkout', 'settle_jobs_total', next));
    },
    shows: [/^\[M/, /checkout/, /settle_jobs_total/, /reset|restart|start/],
  },
  metricKind(
    'a slow ramp over the hour',
    'heap_used_bytes',
    (at, random) => 2e8 * (1 + (at + 3600) / 1800) + 1e6 * random,
    /[3-6]\d\d MiB/,
  ),
  metricKind(
    'saturation at a limit',
    'db_pool_usage_ratio',
    (at, random) => (inTrouble(at) ? 1 : 0.4 + 0.1 * random),
    /100 %|→ 1\b/,
  ),
  {
    name: 'one bad pod out of hundreds of series',
    haystack: 'samples',
    plant: (scene) => {
      for (let i = 0; i < 40; i++) {
        const bad = i === 23;
        const value = (seconds: number) => (bad && inTrouble(seconds) ? 30 : 0) + 0.2 * scene.random();
        scene.series.push(
          series('checkout', 'settle_errors_per_second', value, { pod: `checkout-7d9f8b6c5d-k${10 + i}q` }),
        );
      }
    },
    shows: [/^\[M/, /settle_errors_per_second/, /checkout-7d9f8b6c5d-k33q/, /30/],
  },
  metricKind('a constant until the change', 'settle_pool_max', (at) => (inTrouble(at) ? 2 : 16), /16 → 2\b/),
  metricKind(
    'a queue that was always empty',
    'settle_backlog',
    (at) => (inTrouble(at) ? 5 * (at - TROUBLE[0]) : 0),
    /0 → 1[,.]?[45]/,
  ),
  metricKind(
    'a small share of errors that grew tenfold',
    'settle_error_ratio',
    (at, random) => (inTrouble(at) ? 0.02 : 0.002) * (0.9 + 0.2 * random),
    /0\.2 % → 2|0\.002 → 0\.02|→ 2\.\d+ %/,
  ),
  metricKind(
    'a success rate that fell by two points',
    'settle_success_percent',
    (at, random) => (inTrouble(at) ? 97.4 : 99.9) + 0.05 * random,
    /→ 97\.4/,
  ),
];

const BYTE_STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
/** Units in which Kubernetes counts bytes, by how often they have been divided by 1024. */
const BINARY_STEPS: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4 };

/** A number as people say it: three significant digits, no exponent up to a billion, never `NaN` or `Infinity`. */
export function numberWord(value: number): string {
  if (!Number.isFinite(value)) return 'not a number';
  const abs = Math.abs(value);
  if (abs === 0) return '0';
  if (abs >= 1e9 || abs < 1e-4) return value.toExponential(2);
  const rounded = Number(value.toPrecision(3));
  return abs >= 10_000 ? rounded.toLocaleString('en-US') : String(rounded);
}

/** A share of one, in `quantityWord`: said in percent. */
export const FRACTION = 'fraction';

/** Below this a time in seconds is said in milliseconds. */
const SECONDS_FROM = 0.1;

/** Value with its unit: `2.84 s`, `42.1 ms`, `96.5 %`, `512 MiB`, `20.4 millicores`, `0.2 /s`. A bare number when there is no unit. */
export function quantityWord(value: number, unit: string | undefined): string {
  if (unit === undefined) return numberWord(value);
  if (unit === 'By') return byteWord(value, 0, '');
  if (unit === 'By/s') return byteWord(value, 0, '/s');
  if (unit in BINARY_STEPS) return byteWord(value, BINARY_STEPS[unit] ?? 0, '');
  if (unit === FRACTION) return `${numberWord(100 * value)} %`;
  if (unit === 's') return secondsWord(value);
  if (unit === 'ms' && Math.abs(value) >= 1000) return secondsWord(value / 1000);
  return `${numberWord(value)} ${unit}`;
}

/** Two values with one unit: `0.53 s → 2.48 s`, yet `3.76 → 5.29 millicores`: a long unit is said once. */
export function quantitiesInWords(
  values: readonly [number, number],
  unit: string | undefined,
  between: string,
): string {
  // Nothing is nothing in every unit.
  const [a, b] = values.map((value) => (value === 0 ? '0' : quantityWord(value, unit))) as [string, string];
  const suffix = / \S{4,}$/.exec(b)?.[0];
  const first = suffix !== undefined && a.endsWith(suffix) ? a.slice(0, -suffix.length) : a;
  return `${first}${between}${b}`;
}

/** `1.95 s`, `42.1 ms`. */
export function secondsWord(seconds: number): string {
  const abs = Math.abs(seconds);
  return abs > 0 && abs < SECONDS_FROM ? `${numberWord(seconds * 1000)} ms` : `${numberWord(seconds)} s`;
}

function byteWord(value: number, smallestStep: number, suffix: string): string {
  let scaled = value;
  let step = smallestStep;
  while (Math.abs(scaled) >= 1024 && step < BYTE_STEPS.length - 1) {
    scaled /= 1024;
    step++;
  }
  return `${numberWord(scaled)} ${BYTE_STEPS[step]}${suffix}`;
}

/**
 * Deviation in percent, (peak − baseline) / |baseline| × 100 with one decimal; null when the baseline is 0, because no
 * percentage is defined there.
 */
export function deviationPercent(baseline: number, peak: number): number | null {
  if (baseline === 0) return null;
  const percent = Math.round(((peak - baseline) / Math.abs(baseline)) * 1000) / 10;
  return Number.isFinite(percent) ? percent : null;
}

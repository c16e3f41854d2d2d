const BYTE_STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A number as people write it: four significant digits, no exponent up to a billion, never `NaN` or `Infinity`. */
export function numberWord(value: number): string {
  if (!Number.isFinite(value)) return 'not a number';
  const abs = Math.abs(value);
  if (abs === 0) return '0';
  if (abs >= 1e9 || abs < 1e-4) return value.toExponential(2);
  if (abs >= 1000) return value.toFixed(abs >= 10_000 ? 0 : 1).replace(/\.0$/, '');
  return String(Number(value.toPrecision(4)));
}

/** Value with its unit: `2840.5 ms`, `96.5 %`, `512 MiB`, `0.2 /s`. */
export function quantityWord(value: number, unit: string | undefined): string {
  if (unit === 'By') return byteWord(value, '');
  if (unit === 'By/s') return byteWord(value, '/s');
  return unit ? `${numberWord(value)} ${unit}` : numberWord(value);
}

function byteWord(value: number, suffix: string): string {
  let scaled = value;
  let step = 0;
  while (Math.abs(scaled) >= 1024 && step < BYTE_STEPS.length - 1) {
    scaled /= 1024;
    step++;
  }
  return `${numberWord(scaled)} ${BYTE_STEPS[step]}${suffix}`;
}

/**
 * Deviation in percent, (peak − baseline) / |baseline| × 100 with one decimal; null when the baseline is 0, because no
 * percentage is defined there (say "from zero" instead).
 */
export function deviationPercent(baseline: number, peak: number): number | null {
  if (baseline === 0) return null;
  const percent = ((peak - baseline) / Math.abs(baseline)) * 100;
  return Number.isFinite(percent) ? Math.round(percent * 10) / 10 : null;
}

const ISO_WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;
const YEAR_MS = 366 * 86_400_000;

/**
 * Epoch milliseconds of a recorded time: seconds, milliseconds, microseconds or nanoseconds (told apart by size), or ISO 8601 (UTC
 * when it names no zone). NaN when unusable; so is everything before 1970, where "no time" lies in most formats.
 */
export function toEpochMs(value: unknown): number {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string' || value === '') return Number.NaN;
  const number = Number(value);
  if (!Number.isNaN(number)) return fromNumber(number);
  const text = value.trim();
  const parsed = Date.parse(ISO_WITHOUT_ZONE.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  return parsed > 0 ? parsed : Number.NaN;
}

function fromNumber(value: number): number {
  if (!(value > 0) || value === Number.POSITIVE_INFINITY) return Number.NaN;
  if (value < 1e11) return value * 1000;
  if (value < 1e14) return value;
  if (value < 1e17) return value / 1000;
  return value / 1e6;
}

/** Epoch microseconds; keeps the microseconds that `toEpochMs` would blur. */
export function toEpochUs(value: unknown): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number === 'number' && number >= 1e14 && number < 1e17) return number;
  return Math.round(toEpochMs(value) * 1000);
}

/** The time, or NaN when it lies more than a year from the incident: such clocks are broken and tell nothing. */
export function plausible(timeMs: number, anchorMs: number): number {
  return Math.abs(timeMs - anchorMs) > YEAR_MS ? Number.NaN : timeMs;
}

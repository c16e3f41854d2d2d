import { parseRfc3339 } from './alertmanager/rfc3339.ts';

/** Epoch seconds, milliseconds, microseconds and nanoseconds of our age differ by their number of digits. */
const UNITS = [
  { below: 1e11, perMs: 1e-3 },
  { below: 1e14, perMs: 1 },
  { below: 1e17, perMs: 1e3 },
  { below: 1e20, perMs: 1e6 },
] as const;
/** What lies outside is no time of an alert, but a counter or a mistake: 2000 to 2100. */
const EARLIEST_MS = Date.UTC(2000, 0);
const LATEST_MS = Date.UTC(2100, 0);
const NUMERIC = /^\d{9,19}(?:\.\d{1,9})?$/;
/** `+0000` of Java and AWS. */
const OFFSET_WITHOUT_COLON = /([+-]\d{2})(\d{2})$/;
const WITHOUT_OFFSET = /T?\d{2}:\d{2}:\d{2}(?:\.\d+)?$/;

/**
 * Epoch milliseconds of a time as senders write it: RFC 3339 (also with the offset `+0000`, or none, which is taken for UTC) or a number since
 * the epoch, in any unit from seconds to nanoseconds. Undefined for anything else.
 */
export function parseTime(value: unknown): number | undefined {
  if (typeof value === 'number') return plausible(fromNumber(value));
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (NUMERIC.test(text)) return plausible(fromNumber(Number(text)));
  const zoned = text.replace(OFFSET_WITHOUT_COLON, '$1:$2');
  return plausible(parseRfc3339(WITHOUT_OFFSET.test(zoned) ? `${zoned}Z` : zoned));
}

function fromNumber(value: number): number | undefined {
  const unit = UNITS.find(({ below }) => value < below);
  return unit && Math.round(value / unit.perMs);
}

function plausible(timeMs: number | undefined): number | undefined {
  return timeMs !== undefined && timeMs >= EARLIEST_MS && timeMs < LATEST_MS ? timeMs : undefined;
}

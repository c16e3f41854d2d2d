const RFC3339 = /^(\d{4})-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Epoch milliseconds of an RFC 3339 time with 0 to 9 fraction digits and any offset (below a millisecond is cut off). Undefined for
 * anything else and for Go's zero time: year 1 means "not set".
 */
export function parseRfc3339(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (!match || match[1] === '0001') return undefined;
  const milliseconds = match[2] ? match[2].slice(0, 4) : '';
  const zoned = text.slice(0, 19).replace(/[t ]/, 'T') + milliseconds + (match[3] ?? '').toUpperCase();
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? undefined : time;
}

/** A moment to the minute, in UTC, for people: `2026-11-29T10:00Z`. `no date` for what lies beyond every calendar. */
export function isoMinute(ms: number): string {
  return Math.abs(ms) > 8.64e15 ? 'no date' : `${new Date(ms).toISOString().slice(0, 16)}Z`;
}

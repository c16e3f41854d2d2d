/** A span in words: `850 ms`, `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. Never negative. */
export function duration(ms: number): string {
  const abs = Math.abs(ms);
  if (abs < 1000) return `${Math.round(abs)} ms`;
  const seconds = Math.round(abs / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
}

/** How long something lasted, as a person says it: of less than a second nobody counts the milliseconds. */
export function lasted(ms: number): string {
  return ms < 1000 ? 'less than a second' : duration(ms);
}

/** Where a moment lies against the trigger, in words (SPEC C7): `45 s before the alert`, `at the alert`, `3 min after the alert`. */
export function relativeTime(atMs: number, triggerMs: number): string {
  const delta = atMs - triggerMs;
  if (Math.abs(delta) < 500) return 'at the alert';
  return `${duration(delta)} ${delta < 0 ? 'before' : 'after'} the alert`;
}

import type { Logger } from '../platform/logger.ts';

const QUIET_MS = 60_000;

/**
 * Says why webhooks of a source are not taken, each reason at most once a minute and with its number since: a wrong password in Alertmanager and a Redis that is
 * away are learnt from the log, and neither somebody who guesses passwords nor a storm in an outage can fill it.
 */
export function createRareLog(
  log: Logger,
  now = Date.now,
): (level: 'warn' | 'error', source: string, why: string, details?: Readonly<Record<string, unknown>>) => void {
  const seen = new Map<string, { times: number; quietUntilMs: number }>();
  return (level, source, why, details = {}) => {
    const key = `${source} ${why}`;
    const known = seen.get(key) ?? { times: 0, quietUntilMs: 0 };
    seen.set(key, known);
    known.times += 1;
    if (now() < known.quietUntilMs) return;
    log[level]({ source, times: known.times, ...details }, why);
    known.times = 0;
    known.quietUntilMs = now() + QUIET_MS;
  };
}

import type { Logger } from '../platform/logger.ts';

const QUIET_MS = 60_000;

/**
 * Says that senders were refused, at most once a minute and with their number since: a wrong password in Alertmanager is learnt from the log,
 * and somebody who guesses passwords cannot fill it.
 */
export function createRefusalLog(log: Logger, now = Date.now): (source: string) => void {
  let refused = 0;
  let quietUntilMs = 0;
  return (source) => {
    refused += 1;
    if (now() < quietUntilMs) return;
    log.warn({ source, refused }, 'a webhook was refused: missing or wrong credentials (401)');
    refused = 0;
    quietUntilMs = now() + QUIET_MS;
  };
}

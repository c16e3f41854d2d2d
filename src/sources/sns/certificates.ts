import { createPublicKey, type KeyObject } from 'node:crypto';
import { IntakeUnavailable } from '../../intake/intake.ts';

/** Rotations are rare and regions few. */
const MAX_KEPT = 50;
const KEPT_MS = 24 * 3_600_000;
/** Anybody may send messages that name certificates: they must not make us fetch without end. */
const MAX_FETCHING = 4;

interface Kept {
  readonly key: Promise<KeyObject>;
  readonly untilMs: number;
}

/**
 * The public keys that SNS signs with, by the URL of their certificate, kept for a day. Rejects with `IntakeUnavailable` when one cannot be
 * fetched: the message may be genuine, so its sender has to come again.
 */
export function createSigningKeys(
  fetchText: (url: string) => Promise<string>,
  now: () => number,
): (url: string) => Promise<KeyObject> {
  const kept = new Map<string, Kept>();
  let fetching = 0;
  return (url) => {
    const known = kept.get(url);
    if (known && known.untilMs > now()) return known.key;
    if (fetching >= MAX_FETCHING)
      return Promise.reject(new IntakeUnavailable('too many certificates of SNS are being fetched'));
    fetching += 1;
    const key = fetchKey(url, fetchText).finally(() => {
      fetching -= 1;
    });
    kept.set(url, { key, untilMs: now() + KEPT_MS });
    key.catch(() => kept.delete(url));
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    return key;
  };
}

async function fetchKey(url: string, fetchText: (url: string) => Promise<string>): Promise<KeyObject> {
  try {
    return createPublicKey(await fetchText(url));
  } catch (error) {
    throw new IntakeUnavailable('the certificate that SNS signs with could not be read', { cause: error });
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

const POLL_MS = 50;
const MAX_SHOWN = 4000;

/**
 * Reads until `accept` likes the value, and returns it. The deadline is generous on purpose: it ends a test that is broken, and says nothing about
 * speed. Throws with the value that was read last.
 */
export async function eventually<T>(
  what: string,
  read: () => Promise<T> | T,
  accept: (value: T) => boolean = Boolean,
  timeoutMs = 90_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (accept(value)) return value;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms; last seen ${show(value)}`);
    await sleep(POLL_MS);
  }
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 5 });
  return text.length <= MAX_SHOWN ? text : `… ${text.slice(-MAX_SHOWN)}`;
}

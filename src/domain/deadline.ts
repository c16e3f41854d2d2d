/**
 * Aborts when `signal` does, and after `timeoutMs` at the latest. Use this for `AbortSignal.any` of a timeout: that holds its sources weakly only, so that
 * garbage collection may take the timeout before its time, and then it never comes (nodejs/node#57736). One that is listened to stays.
 */
export function abortAfter(signal: AbortSignal, timeoutMs: number): AbortSignal {
  const late = AbortSignal.timeout(timeoutMs);
  late.addEventListener('abort', () => undefined, { once: true });
  return AbortSignal.any([signal, late]);
}

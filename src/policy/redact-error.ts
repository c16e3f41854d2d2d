/**
 * An error of the same class that holds nothing but its name, message and stack, redacted: for whoever keeps what it is thrown, as queues do.
 * Clients quote addresses and answers in messages and hang requests on their errors; causes and other properties are left behind.
 */
export function redactError(error: unknown, redact: (text: string) => string): Error {
  if (!(error instanceof Error)) return new Error(redact(String(error)));
  const copy = Object.create(Object.getPrototypeOf(error) as object) as Error;
  const own = (value: string) => ({ value, writable: true, configurable: true, enumerable: false });
  return Object.defineProperties(copy, {
    name: own(error.name),
    message: own(redact(error.message)),
    stack: own(redact(error.stack ?? '')),
  });
}

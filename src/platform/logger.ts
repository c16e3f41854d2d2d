import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * JSON lines on stderr (stdout belongs to results). `redact` is the redaction choke point: it sees every line as text before it
 * leaves the process.
 */
export function createLogger(level: string, redact: (text: string) => string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => process.stderr.write(redact(line)) },
  );
}

/** For code that is given no logger: says nothing. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

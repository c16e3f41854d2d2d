import { pino, type Logger } from 'pino';
import { redisRefusal } from './redis-trouble.ts';

export type { Logger } from 'pino';

/** Causes further down than this say nothing new. */
const MAX_CAUSES = 5;
const LONGEST_STACK = 4000;

/**
 * JSON lines on stderr (stdout belongs to results). `redact` is the redaction choke point: it sees every line as text before it
 * leaves the process.
 */
export function createLogger(
  level: string,
  redact: (text: string) => string,
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } },
    { write: (line: string) => write(redact(line)) },
  );
}

/** For code that is given no logger: says nothing. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

/**
 * An error as its name, code, message and stack, and its causes as one line each. Nothing else: clients hang requests, headers and
 * whole commands with their arguments on their errors (a failed AUTH of Redis carries the password). What is no error stays as it is; of a Redis that takes
 * nothing, which every part meets, the words are enough.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const refusal = redisRefusal(error);
  if (refusal !== undefined) return refusal;
  const { code } = error as { readonly code?: unknown };
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error && causes.length < MAX_CAUSES; cause = cause.cause) {
    causes.push(`${cause.name}: ${cause.message}`);
  }
  return {
    type: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: error.message,
    stack: error.stack?.slice(0, LONGEST_STACK),
    ...(causes.length > 0 ? { causes } : {}),
  };
}

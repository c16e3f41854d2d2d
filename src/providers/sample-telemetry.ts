import type { LogRecord, Span } from '../domain/telemetry.ts';
import { isErrorRecord, recordLevel } from '../funnel/logs/log-severity.ts';
import { EvenSample } from './even-sample.ts';

/** Characters of log messages kept, whatever the number of lines. */
const MOST_LOG_CHARACTERS = 300_000_000;

/** Lines of each level, those of a seldom shape first: a flood of one message must not wash away the line that is said once. */
const LOG_KINDS = ['that tell of errors', 'that tell of errors', 'that warn', 'that warn', 'others', 'others'] as const;

/**
 * Of too many lines those of a level and shape that are many are thinned: errors, warnings and other lines, and of each what is seldom said, push
 * out none of another kind. Of a trace all lines of a kind or none.
 */
export function sampleLogs(most: number): EvenSample<LogRecord> {
  const isSeldom = seldomShapes();
  return new EvenSample<LogRecord>({
    most,
    mostCharacters: MOST_LOG_CHARACTERS,
    kinds: LOG_KINDS,
    kindOf: ({ level, message }) => {
      const own = recordLevel(level, message);
      const rank = isErrorRecord(own, message) ? 0 : own === 'warn' ? 2 : 4;
      return isSeldom(message) ? rank : rank + 1;
    },
    groupOf: ({ traceId }) => traceId,
    charactersOf: ({ message }) => message.length,
  });
}

/** An even part of the traces, each of them whole. */
export function sampleSpans(most: number): EvenSample<Span> {
  return new EvenSample<Span>({
    most,
    mostCharacters: Number.POSITIVE_INFINITY,
    kinds: ['spans'],
    kindOf: () => 0,
    groupOf: ({ traceId }) => traceId || undefined,
    charactersOf: () => 0,
  });
}

/** So often a shape may have come and is still seldom. */
const SELDOM = 20;
/** Only the beginning of a line is looked at: that is where programs say what they do. */
const SHAPE_CHARACTERS = 200;
const COUNTERS = 2 ** 18;

/**
 * Whether a message has a shape, its words without those that hold a digit, that has hardly come before. Counted by hash, so that a million different
 * ones take no more memory: now and then two shapes share a counter, and a seldom one counts as frequent.
 */
function seldomShapes(): (message: string) => boolean {
  const counts = new Uint8Array(COUNTERS);
  return (message) => {
    const counter = shapeOf(message) % COUNTERS;
    const count = counts[counter] ?? 0;
    if (count >= SELDOM) return false;
    counts[counter] = count + 1;
    return true;
  };
}

const [DIGIT_0, DIGIT_9, BLANK] = [48, 57, 32];

/** FNV-1a, 32 bits, of every word apart; those without a digit are added up in their order. */
function shapeOf(message: string): number {
  const end = Math.min(message.length, SHAPE_CHARACTERS);
  let shape = 0;
  let word = 0x811c9dc5;
  let hasDigit = false;
  for (let i = 0; i <= end; i += 1) {
    const code = i < end ? message.charCodeAt(i) : BLANK;
    if (code > BLANK) {
      hasDigit ||= code >= DIGIT_0 && code <= DIGIT_9;
      word = Math.imul(word ^ code, 0x01000193);
      continue;
    }
    if (!hasDigit) shape = Math.imul(shape ^ word, 0x01000193);
    word = 0x811c9dc5;
    hasDigit = false;
  }
  // The low bits of a product know only the low bits of its factors.
  return (shape ^ (shape >>> 15)) >>> 0;
}

import type { LogRecord } from '../../domain/telemetry.ts';
import { toMs, type LogFieldNames } from './log-source.ts';

/** A longer message is a dump: its beginning says what it is. */
const MOST_MESSAGE_CHARACTERS = 64_000;
const UNKNOWN_SERVICE = 'unknown';
/** What a line's own text calls its trace: 16 or 32 hexadecimal digits. */
const TRACE_IN_TEXT = /\btrace[_.-]?id["']?\s?[=:]\s?["']?([0-9a-f]{16}(?:[0-9a-f]{16})?)\b/i;

/** A line with its fields as the funnel reads it. `valueOf` gives a field as text; undefined or empty: not set. */
export function toRecord(
  timeNs: bigint,
  message: string,
  names: LogFieldNames,
  valueOf: (field: string) => string | undefined,
): LogRecord {
  const first = (fields: readonly string[]) => {
    for (const field of fields) {
      const value = valueOf(field);
      if (value) return value;
    }
    return undefined;
  };
  const traceId = first(names.trace) ?? TRACE_IN_TEXT.exec(message)?.[1];
  return {
    timeMs: toMs(timeNs),
    service: first(names.service) ?? UNKNOWN_SERVICE,
    level: first(names.level) ?? '',
    message: message.slice(0, MOST_MESSAGE_CHARACTERS),
    ...(traceId === undefined ? {} : { traceId }),
  };
}

import type { LogRecord } from '../../domain/telemetry.ts';
import { frameSkeleton, isCause } from './stack-frame.ts';

/** Frames of one trace are written at once; a later frame belongs to something else. */
const MAX_GAP_MS = 2000;

/** Code of the runtime or of a library: not where the reader's own mistake is. */
const LIBRARY =
  /\b(?:java|javax|jakarta|jdk|sun|kotlin|scala|akka|reactor|rx|org\.(?:springframework|apache|hibernate|eclipse|junit|jboss|postgresql|mongodb|slf4j)|com\.(?:sun|zaxxer|fasterxml|google|mysql|rabbitmq|netflix)|io\.(?:netty|grpc|micrometer|vertx|undertow|lettuce)|System|Microsoft)\.|node:|node_modules|site-packages|dist-packages|\/lib\/python|\/(?:go|usr)\/(?:src|lib|pkg)\/|^\s*(?:runtime|net\/http)[./]/;
const EXCEPTION_LINE =
  /^[\w.$]*(?:Error|Exception|Exit|Interrupt|Warning|Throwable)\b[^(]*$|^[\w.$]*(?:Error|Exception)(?::|$)/;
const TRACEBACK = /^\s*Traceback \(most recent call last\)/;

/**
 * For every record the index of the record that begins its event: itself, or an earlier record of the same service
 * when this one is only a stack frame or a cause that a collector has split off.
 */
export function eventStarts(records: readonly LogRecord[]): Int32Array {
  const starts = new Int32Array(records.length);
  const lastOf = new Map<string, { readonly start: number; readonly timeMs: number }>();
  records.forEach((record, index) => {
    const last = lastOf.get(record.service);
    const start =
      last && isContinuation(record.message) && isSoonAfter(record.timeMs, last.timeMs) ? last.start : index;
    starts[index] = start;
    lastOf.set(record.service, { start, timeMs: record.timeMs });
  });
  return starts;
}

function isContinuation(message: string): boolean {
  return isCause(message) || frameSkeleton(message) !== undefined;
}

function isSoonAfter(timeMs: number, previousMs: number): boolean {
  const gap = timeMs - previousMs;
  return Number.isNaN(gap) || (gap >= 0 && gap <= MAX_GAP_MS);
}

/** The line that stands for an event of several lines: the first with text, or the exception a Python traceback ends in. */
export function leadingLine(message: string): string {
  if (!message.includes('\n')) return message;
  const lines = message.split('\n');
  const first = lines.find((line) => line.trim() !== '') ?? '';
  if (!TRACEBACK.test(first)) return first;
  return lines.findLast((line) => EXCEPTION_LINE.test(line)) ?? first;
}

/**
 * An event in few lines: its first line, the first line of business code, the innermost cause, and `... 42 more lines` for the rest
 * (SPEC C6). The number is exact; nothing is added when nothing is left out.
 */
export function foldEvent(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length <= 1) return lines[0] ?? '';
  const isFrame = lines.map((line) => frameSkeleton(line) !== undefined);
  const business = lines.findIndex((line, i) => i > 0 && isFrame[i] === true && !LIBRARY.test(line));
  const frame = business > 0 ? business : isFrame.indexOf(true, 1);
  // Java writes the innermost cause last; its suppressed exceptions have causes of their own, which are indented.
  const causedBy = lines.findLastIndex((line, i) => i > 0 && line.startsWith('Caused by:'));
  const further = causedBy > 0 ? causedBy : lines.findIndex((line, i) => i > 0 && isCause(line));
  const cause = further > 0 ? further : lines.findLastIndex((line, i) => i > 0 && EXCEPTION_LINE.test(line.trim()));
  const kept = new Set([0, frame, cause].filter((index) => index >= 0));
  const folded = lines.length - kept.size;
  const shown = lines.filter((_, index) => kept.has(index)).map((line) => line.trim());
  if (folded > 0) shown.push(`... ${folded} more ${folded === 1 ? 'line' : 'lines'}`);
  return shown.join('\n');
}

import { ERROR_LEVEL_PATTERN, ERROR_WORD_PATTERN } from '../logs/error-lines.ts';
import type { FieldMatch, LineFilter, LogWindow } from '../logs/log-source.ts';
import { escapeRegex, stringLiteral } from '../prometheus/promql.ts';

/**
 * The LogsQL for a filter. Values come from alerts and models, which anybody may have written: like the names of fields they stand as text between
 * quotes and cannot leave them.
 */
export function toLogsql(filter: LineFilter, levelFields: readonly string[]): string {
  const { fields, contains, telling } = filter;
  const parts = [
    timeFilter(filter),
    ...fields.map(condition),
    ...(contains === undefined ? [] : [`_msg:~${stringLiteral(`(?i)${escapeRegex(contains)}`)}`]),
    ...(telling === undefined ? [] : [`${telling === 'errors' ? '' : '!'}(${tellsOfErrors(levelFields)})`]),
  ];
  return parts.join(' ');
}

/** `_time:[from, until)` with nanoseconds. */
function timeFilter({ fromNs, untilNs }: LogWindow): string {
  return `_time:[${isoNs(fromNs)}, ${isoNs(untilNs)})`;
}

function condition(match: FieldMatch): string {
  const field = stringLiteral(match.field);
  if ('set' in match) return `${match.set ? '' : '!'}${field}:*`;
  return `${field}:in(${match.values.map(stringLiteral).join(', ')})`;
}

/** By the level of a line; where it has none, by its words. */
function tellsOfErrors(levelFields: readonly string[]): string {
  const words = `_msg:~${stringLiteral(ERROR_WORD_PATTERN)}`;
  const levels = levelFields.map((field) => `${stringLiteral(field)}:~${stringLiteral(ERROR_LEVEL_PATTERN)}`);
  const without = levelFields.map((field) => `!${stringLiteral(field)}:*`);
  return [...levels, `(${[...without, words].join(' ')})`].join(' or ');
}

/** ISO 8601 with nine digits of a second. */
export function isoNs(ns: bigint): string {
  const [date = ''] = new Date(Number(ns / 1_000_000_000n) * 1000).toISOString().split('.');
  return `${date}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`;
}

/** Nanoseconds of a time as the server writes it, with up to nine digits of a second; undefined for anything else. */
export function parseIsoNs(text: string): bigint | undefined {
  const [, seconds, fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  const ms = Date.parse(`${seconds}Z`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

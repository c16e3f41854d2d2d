import { withoutColours } from './colours.ts';

/** `''` when neither the record nor its text says. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | '';

const SPELLINGS: Readonly<Record<Exclude<LogLevel, ''>, string>> = {
  debug: 'trace verbose debug dbg fine finest d v',
  info: 'info information informational inf log notice normal i n',
  warn: 'warn warning wrn w',
  error: 'error err severe failure e',
  fatal: 'fatal critical crit panic dpanic alert emerg emergency f',
};
const LEVELS: ReadonlyMap<string, LogLevel> = new Map(
  Object.entries(SPELLINGS).flatMap(([level, words]) => words.split(' ').map((word) => [word, level as LogLevel])),
);

/** Severities 0–7 of syslog (RFC 5424, table 2), in their order. */
const SYSLOG: readonly LogLevel[] = ['fatal', 'fatal', 'fatal', 'error', 'warn', 'info', 'info', 'debug'];

const ERROR_WORDS = /error|fail|exception|traceback|\bfatal\b|\bcritical\b|\bpanic\b/i;
/** "no errors", "0 failed", "error=null": the word is there, the error is not. */
const NO_ERROR =
  /\b(?:no|0|zero|without)\s+(?:errors?|failures?|failed|exceptions?)\b|\b(?:errors?|failures?|failed)["']?\s*[=:]\s*(?:0|null|none|nil|false|<nil>|""|'')(?![\w.])/gi;
/** Where a line states its own level, within the header. */
const HEADER_LENGTH = 120;
const LEVEL_IN_TEXT =
  /\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|FATAL|CRITICAL|PANIC)\b|\b(?:level|lvl|severity)["']?[=:]\s*["']?([a-z]+)|[[<](debug|info|notice|warn|warning|error|crit|alert|emerg)[\]>]/i;

/** Levels that belong to the format of a line, so that they are certain: a field, klog's letter, syslog's priority. */
const LEVEL_FIELD = /["\s{,](?:level|lvl|severity|log\.level|levelname|@l)"?\s?[=:]\s?"?([a-z]{1,13}|\d{1,2})\b/i;
const LEVEL_FIELD_WITHIN = 2000;
const KLOG = /^([DVIWEF])\d{4} \d\d:\d\d:\d\d\.\d/;
const SYSLOG_PRIORITY = /^<(\d{1,3})>/;

/** The level that a word or a number stands for; `''` when it is no level. */
export function levelOf(word: string): LogLevel {
  return LEVELS.get(word.toLowerCase()) ?? (/^\d{1,2}$/.test(word) ? levelOfNumber(Number(word)) : '');
}

/** 0–7 are syslog's severities, tens those of bunyan and pino (30 info, 50 error), the others up to 24 OpenTelemetry's severity numbers. */
function levelOfNumber(number: number): LogLevel {
  if (number < SYSLOG.length) return SYSLOG[number] ?? '';
  if (number % 10 === 0 && number <= 60) return levelOfTens(number / 10);
  return number <= 24 ? levelOfTens(Math.ceil(number / 4)) : '';
}

/** Six steps from trace to fatal, as both numberings have them. */
function levelOfTens(step: number): LogLevel {
  return (['debug', 'debug', 'info', 'warn', 'error', 'fatal'] as const)[step - 1] ?? '';
}

/**
 * The level a record has; `''` when nothing says. A level that the line's own format states comes before that of the record, which is often
 * only the collector's guess; one that merely stands among the words comes after it.
 */
export function recordLevel(level: string, message: string): LogLevel {
  const stated = statedLevel(message);
  if (stated !== '') return stated;
  const own = levelOf(level);
  if (own !== '') return own;
  const match = LEVEL_IN_TEXT.exec(withoutColours(message.slice(0, HEADER_LENGTH)));
  const word = match?.[1] ?? match?.[2] ?? match?.[3];
  // Lower-case words in prose are no level: "error while reading" is judged by its words.
  if (word === undefined || (match?.[1] !== undefined && word !== word.toUpperCase())) return '';
  return levelOf(word);
}

function statedLevel(message: string): LogLevel {
  const start = message[0] ?? '';
  if (start === '<') return SYSLOG[Number(SYSLOG_PRIORITY.exec(message)?.[1] ?? Number.NaN) % 8] ?? '';
  const letter = KLOG_LETTERS.has(start) ? KLOG.exec(message)?.[1] : undefined;
  if (letter !== undefined) return levelOf(letter);
  // Only whole lines of fields: in prose `level=3` is a fact like others.
  if (start !== '{' && !FIELD_FIRST.test(message)) return '';
  return levelOf(LEVEL_FIELD.exec(` ${message.slice(0, LEVEL_FIELD_WITHIN)}`)?.[1] ?? '');
}
const KLOG_LETTERS = new Set('DVIWEF'.split(''));
const FIELD_FIRST = /^(?:time|ts|t|timestamp|level|lvl|severity)=/;

/** True when a record tells of an error: by its level, and only without one by its words. */
export function isErrorRecord(level: LogLevel, message: string): boolean {
  if (level !== '') return level === 'error' || level === 'fatal';
  return ERROR_WORDS.test(message) && ERROR_WORDS.test(message.replaceAll(NO_ERROR, ''));
}

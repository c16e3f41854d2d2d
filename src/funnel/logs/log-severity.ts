import { withoutColours } from './colours.ts';

/** `''` when neither the record nor its text says. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | '';

const SPELLINGS: Readonly<Record<Exclude<LogLevel, ''>, string>> = {
  debug: 'trace verbose debug dbg fine finest',
  info: 'info information informational inf log notice normal',
  warn: 'warn warning wrn',
  error: 'error err severe failure',
  fatal: 'fatal critical crit panic dpanic alert emerg emergency',
};
const LEVELS: ReadonlyMap<string, LogLevel> = new Map(
  Object.entries(SPELLINGS).flatMap(([level, words]) => words.split(' ').map((word) => [word, level as LogLevel])),
);

const ERROR_WORDS = /error|fail|exception|traceback|\bfatal\b|\bcritical\b|\bpanic\b/i;
/** "no errors", "0 failed", "error=null": the word is there, the error is not. */
const NO_ERROR =
  /\b(?:no|0|zero|without)\s+(?:errors?|failures?|failed|exceptions?)\b|\b(?:errors?|failures?|failed)["']?\s*[=:]\s*(?:0|null|none|nil|false|<nil>|""|'')(?![\w.])/gi;
/** Where a line states its own level, within the header. */
const HEADER_LENGTH = 120;
const LEVEL_IN_TEXT =
  /\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|FATAL|CRITICAL|PANIC)\b|\b(?:level|lvl|severity)["']?[=:]\s*["']?([a-z]+)|[[<](debug|info|notice|warn|warning|error|crit|alert|emerg)[\]>]/i;

/** The level a word stands for, in any spelling; `''` when it is no level. */
export function levelOf(word: string): LogLevel {
  return LEVELS.get(word.toLowerCase()) ?? '';
}

/** The level a record carries, else the one its text states in front; `''` when there is neither. */
export function recordLevel(level: string, message: string): LogLevel {
  const own = levelOf(level);
  if (own !== '') return own;
  const match = LEVEL_IN_TEXT.exec(withoutColours(message.slice(0, HEADER_LENGTH)));
  const word = match?.[1] ?? match?.[2] ?? match?.[3];
  // Lower-case words in prose are no level: "error while reading" is judged by its words.
  if (word === undefined || (match?.[1] !== undefined && word !== word.toUpperCase())) return '';
  return levelOf(word);
}

/** True when a record tells of an error: by its level, and only without one by its words. */
export function isErrorRecord(level: LogLevel, message: string): boolean {
  if (level !== '') return level === 'error' || level === 'fatal';
  return ERROR_WORDS.test(message) && ERROR_WORDS.test(message.replaceAll(NO_ERROR, ''));
}

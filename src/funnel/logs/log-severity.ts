const LEVEL_NAMES: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  verbose: 'debug',
  debug: 'debug',
  dbg: 'debug',
  info: 'info',
  information: 'info',
  informational: 'info',
  inf: 'info',
  log: 'info',
  notice: 'info',
  normal: 'info',
  warn: 'warn',
  warning: 'warn',
  wrn: 'warn',
  error: 'error',
  err: 'error',
  eror: 'error',
  severe: 'error',
  failure: 'error',
  fatal: 'fatal',
  critical: 'fatal',
  crit: 'fatal',
  panic: 'fatal',
  dpanic: 'fatal',
  alert: 'fatal',
  emerg: 'fatal',
  emergency: 'fatal',
};

/** `''` when neither the record nor its text says. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | '';

const ERROR_WORDS = /error|fail|exception|traceback|\bfatal\b|\bcritical\b|\bpanic\b/i;
/** "no errors", "0 failed", "error=null": the word is there, the error is not. */
const NO_ERROR =
  /\b(?:no|0|zero|without)\s+(?:errors?|failures?|failed|exceptions?)\b|\berrors?["']?\s*[=:]\s*(?:0|null|none|nil|false|<nil>|""|'')(?![\w.])/gi;

/** The level a word stands for, in any spelling; `''` when it is no level. */
export function levelOf(word: string): LogLevel {
  return LEVEL_NAMES[word.toLowerCase()] ?? '';
}

/** True when a record tells of an error: by its level, and only without one by its words. */
export function isErrorRecord(level: LogLevel, message: string): boolean {
  if (level !== '') return level === 'error' || level === 'fatal';
  return ERROR_WORDS.test(message.replaceAll(NO_ERROR, ''));
}

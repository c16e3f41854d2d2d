/** Ways to write a level that is an error, in lower case. A superset of what the funnel reads as one matters less than missing one. */
export const ERROR_LEVELS = [
  'error',
  'err',
  'e',
  'severe',
  'failure',
  'fatal',
  'f',
  'critical',
  'crit',
  'panic',
  'dpanic',
  'alert',
  'emerg',
  'emergency',
  // As bunyan and pino number them.
  '50',
  '60',
] as const;

/** Parts of words that tell of an error where no level does. */
export const ERROR_WORDS = ['error', 'fail', 'exception', 'traceback', 'fatal', 'critical', 'panic'] as const;

/**
 * Regular expressions (RE2): a level as a whole, and a part of a message. The anchors are needed though labels are said to be matched as a whole: Loki 3.7
 * matches a long list of alternatives anywhere (tried with 14 and 16).
 */
export const ERROR_LEVEL_PATTERN = `(?i)^(?:${ERROR_LEVELS.join('|')})$`;
export const ERROR_WORD_PATTERN = `(?i)(?:${ERROR_WORDS.join('|')})`;

/** The levels in the spellings that occur, for servers that compare exactly. */
export const ERROR_LEVEL_SPELLINGS = ERROR_LEVELS.flatMap((level) => [
  level,
  level.toUpperCase(),
  `${level.charAt(0).toUpperCase()}${level.slice(1)}`,
]).filter((spelling, place, all) => all.indexOf(spelling) === place);

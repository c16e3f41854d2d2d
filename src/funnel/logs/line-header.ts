import { endOfToken, skipSpace } from './character-class.ts';

/**
 * Finds where the message of a log line begins: after time, level, thread, process and logger. Those fields say when and
 * where a message was written, not what it says, so they must not split its group. A header is stripped only when it is
 * recognised by a time or a level and every field on the way looks like a field; otherwise nothing is stripped.
 */
export function messageStart(line: string, end: number): number {
  const start = skipSpace(line, 0, end);
  for (const whole of WHOLE_HEADERS) {
    const message = matchEnd(whole, line, start);
    if (message >= 0) return message;
  }
  const priority = line[start] === '<' ? matchEnd(PRIORITY, line, start) : -1;
  const syslog = priority >= 0 ? matchEnd(RFC5424, line, priority) : -1;
  if (syslog >= 0) return syslog;
  const named = line.includes('| ') ? matchEnd(CONTAINER_NAME, line, Math.max(start, priority)) : -1;
  const header = Math.max(start, priority, named);
  const message = afterTime(line, header, end) ?? afterLeadingLevel(line, header, end);
  return message !== undefined && message < end ? message : header;
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const WEEKDAY = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?';
const CLOCK = '\\d{1,2}:\\d{2}:\\d{2}(?:[.,:]\\d+)?(?: ?[AP]M)?';
const ZONE = '(?: ?(?:Z|UTC|GMT|[A-Z]{2,3}T|[+-]\\d{2}:?\\d{2})\\b)?';
const TIMES = [
  `\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}(?:[T_-]| {1,2})\\d{1,2}[:.]\\d{2}[:.]\\d{2}(?:[.,:]\\d+)?${ZONE}`,
  `\\d{1,2}[-/.]\\d{1,2}(?:[-/.]\\d{2,4})?[ T]+${CLOCK}${ZONE}`,
  `${WEEKDAY}${MONTH} {1,2}\\d{1,2}(?:,? \\d{4})?,? ${CLOCK}${ZONE}(?: \\d{4}\\b)?`,
  `${WEEKDAY}\\d{1,2}[ /-]${MONTH}[ /-]\\d{2,4}[: ]${CLOCK}${ZONE}`,
  `\\d{8}[-T ]?(?:\\d{6}|\\d{1,2}:\\d{1,2}:\\d{1,2})(?:[:.,]\\d+)?${ZONE}`,
  '\\d{6} \\d{6}(?= )',
  '\\d{10}(?:\\.\\d+|\\d{3})?(?=[ ,:|])',
  CLOCK,
].join('|');
const TIME = new RegExp(`[[(]?(?:${TIMES})(?=[\\s\\]),|:;-]|$)[\\])]?`, 'y');

const LEVEL_WORDS =
  'TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|CRIT|ALERT|EMERG|SEVERE|PANIC|INF|WRN|DBG|ERRO|FTL|VERBOSE|SYSTEM';
const TITLE_LEVELS = 'Trace|Debug|Info|Information|Notice|Note|Warn|Warning|Error|Critical|Fatal|System';
const LOWER_LEVELS = 'trace|debug|info|notice|warn|warning|error|crit|critical|fatal|alert|emerg';
/** Upper case is a level anywhere; other spellings only in brackets, before a colon or as the first field. */
const LEVEL = new RegExp(
  `(?:[[(<](?:\\w+:)?(?:${LEVEL_WORDS}|${TITLE_LEVELS}|${LOWER_LEVELS})\\s*[\\])>]|(?:${LEVEL_WORDS})(?=[\\s:,|\\])/-]|$)(?:/[\\w-]+\\])?|(?:LOG|STATEMENT|DETAIL|HINT|CONTEXT)(?=:)):?`,
  'y',
);
const FIRST_LEVEL = new RegExp(`(?:${TITLE_LEVELS}|${LOWER_LEVELS})(?=[\\s:,|])`, 'y');
const LETTER_LEVEL = /[VDIWEFT](?=[\s/])/y;

/** Loggers with a layout of their own: Kubernetes (klog), Ruby, .NET. */
const WHOLE_HEADERS = [
  /[VDIWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [^\s\]]+\]\s*/y,
  /[DIWEFAU], \[[^\]]{1,80}\] +[A-Z]+ -- [^:]{0,40}: (?:\[[\w-]{8,40}\] )?/y,
  /(?:trce|dbug|info|warn|fail|crit): [\w.]{1,120}\[\d+\]\s+/y,
];
const PRIORITY = /<\d{1,3}>/y;
const RFC5424 = /\d \S+ \S+ \S+ \S+ \S+ (?:-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+) ?(?:\ufeff)?/y;
const CONTAINER_NAME = /[\w.-]{1,60} {0,40}\| /y;
const CRI_STREAM = / ?std(?:out|err) [FP] /y;

const SEPARATOR = /(?:\s*[|:,;]|\s+-+|\s+[>*.#](?=\s))*\s*/y;
const SYSLOG_TAG = /(?:[\w.:@-]{1,80}(?:\/[\w.-]{1,80})? {1,4})?(?:-- )?[A-Za-z_/][^\s[\]:|]{0,80}(?:\[\d*\]+: ?|: )/y;
const BAR_FIELD = /[\w.$:-]{1,60}\|/y;
const NUMBER = /#?\d+(?=[\s|:,])/y;
const LOGGER =
  /(?:[A-Za-z_$][\w.$/@#-]{0,100}(?:\[[\w.-]{0,40}\]|\([\w.: -]{0,40}\))?(?::\d+)?(?::(?=\s)|(?=\s+[-|:]\s)|\|)|[A-Za-z_$][\w$-]*(?:\.[\w$-]+){1,12}(?:#\d+|:\d+)?(?=\s+[[-])|[\w.$-]{1,60}(?=\s{2}|\t))/y;
const FIELD =
  /[-|]+(?=\s)|#?\d[\d.:/#-]{0,100}(?=[\s|])|(?=[A-Za-z$:/]{0,80}[\d.@#_-])[\w@$:/.#-]{1,80}(?=[\s|])|[A-Z]{2,40}(?=\s)|[A-Za-z][\w$]{0,60}(?=\s{0,20}[|])/y;
const CONTEXT_IDS = /\[(?:(?:-|(?=[^\s,[\]:=]*\d)[^\s,[\]:]+)(?:[ ,]+|(?=\])))*\](?=\s)/y;

const MAX_FIELDS_BEFORE_TIME = 5;
const MAX_FIELDS_BETWEEN_TIMES = 4;
const MAX_FURTHER_TIMES = 3;
const MAX_FIELDS_BEFORE_LEVEL = 8;
const MAX_BRACKET = 200;

/** Sticky match at `at`: the index after it, or -1. */
function matchEnd(pattern: RegExp, line: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(line) ? pattern.lastIndex : -1;
}

function afterTime(line: string, from: number, end: number): number | undefined {
  let time = timeEnd(line, from, end, MAX_FIELDS_BEFORE_TIME);
  if (time < 0) return undefined;
  // Collectors write their own time in front: an epoch with fields of theirs, a date directly.
  const isEpoch = !line.slice(from, time).includes(':');
  for (let again = 0; again < MAX_FURTHER_TIMES; again++) {
    const next = timeEnd(line, skipSpace(line, time, end), end, isEpoch ? MAX_FIELDS_BETWEEN_TIMES : 0);
    if (next < 0) break;
    time = next;
  }
  const stream = matchEnd(CRI_STREAM, line, time);
  if (stream >= 0) return stream + messageStart(line.slice(stream), end - stream);
  return afterFields(line, time, end);
}

/** Index after a time that stands behind at most so many fields; -1 when there is none. */
function timeEnd(line: string, from: number, end: number, maxFields: number): number {
  let at = from;
  for (let field = 0; field < maxFields; field++) {
    const time = matchEnd(TIME, line, at);
    if (time >= 0) return time;
    const next = fieldEnd(line, at);
    if (next < 0) return -1;
    at = skipSpace(line, next, end);
  }
  return matchEnd(TIME, line, at);
}

function afterFields(line: string, time: number, end: number): number {
  const from = matchEnd(SEPARATOR, line, time);
  const level = findLevel(line, from, end);
  // `ERROR: text` has no logger: what follows the colon is said.
  if (level >= 0 && line[level - 1] === ':') return skipSpace(line, level, end);
  if (level >= 0) return afterLogger(line, level, end);
  const tag = matchEnd(SYSLOG_TAG, line, from);
  if (tag >= 0) return skipSpace(line, tag, end);
  let at = from;
  for (let bar = matchEnd(BAR_FIELD, line, at); bar >= 0; bar = matchEnd(BAR_FIELD, line, at)) at = bar;
  if (at > from) return skipSpace(line, at, end);
  return afterLogger(line, from, end);
}

/** Index after the level, when only fields stand before it. */
function findLevel(line: string, from: number, end: number): number {
  let at = from;
  for (let field = 0; field < MAX_FIELDS_BEFORE_LEVEL && at < end; field++) {
    const level = matchEnd(LEVEL, line, at);
    if (level >= 0) return level;
    if (field === 0) {
      const first = matchEnd(FIRST_LEVEL, line, at);
      if (first >= 0) return first;
    } else {
      const letter = matchEnd(LETTER_LEVEL, line, at);
      if (letter >= 0) return letter;
    }
    const next = fieldEnd(line, at);
    if (next < 0) return -1;
    at = matchEnd(SEPARATOR, line, next);
  }
  return -1;
}

function fieldEnd(line: string, at: number): number {
  const bracket = bracketEnd(line, at);
  return bracket >= 0 ? bracket : matchEnd(FIELD, line, at);
}

function bracketEnd(line: string, at: number): number {
  const open = line[at];
  const close = open === '[' ? ']' : open === '(' ? ')' : open === '{' ? '}' : undefined;
  // An object in JSON is a message.
  if (close === undefined || line.startsWith('{"', at)) return -1;
  let depth = 0;
  for (let i = at; i < line.length && i - at < MAX_BRACKET; i++) {
    if (line[i] === open) depth++;
    else if (line[i] === close && --depth === 0) return i + 1;
  }
  return -1;
}

/** After level or time: separators, bracket groups and numbers, then one logger, then ids of the context. */
function afterLogger(line: string, from: number, end: number): number {
  let at = matchEnd(SEPARATOR, line, from);
  for (let field = 0; field < 6; field++) {
    const bracket = bracketEnd(line, at);
    const number = bracket >= 0 ? bracket : matchEnd(NUMBER, line, at);
    // What touches the bracket on the right belongs to the message: `[a][b] text` keeps both.
    if (number < 0 || (endOfToken(line, number, end) > number && !/[\s:|,]/.test(line[number] ?? ' '))) break;
    const next = matchEnd(SEPARATOR, line, number);
    if (next >= end) return at;
    at = next;
  }
  const logger = matchEnd(LOGGER, line, at);
  if (logger >= 0) {
    const next = matchEnd(SEPARATOR, line, logger);
    if (next < end) at = next;
    const ids = matchEnd(CONTEXT_IDS, line, at);
    if (ids >= 0) at = matchEnd(SEPARATOR, line, ids);
  }
  return at;
}

/** Lines without a time: `[INFO] …`, `ERROR: …`, `LEVEL [thread] time …`, `INFO[0001] …`. */
function afterLeadingLevel(line: string, from: number, end: number): number | undefined {
  const counter = matchEnd(/[A-Z]{4}\[\d+\]\s*/y, line, from);
  if (counter >= 0) return counter;
  const level = matchEnd(LEVEL, line, from);
  if (level < 0) return undefined;
  const rest = matchEnd(SEPARATOR, line, level);
  const late = afterTime(line, rest, end);
  if (late !== undefined) return late;
  const isMarked = line[from] === '[' || line[level - 1] === ':';
  return isMarked ? afterLogger(line, level, end) : undefined;
}

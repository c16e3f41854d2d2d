export const ROLES = ['user', 'assistant', 'system', 'tool'] as const;

/** One entry of a conversation. */
export interface Message {
  readonly role: (typeof ROLES)[number];
  readonly text: string;
}

export interface WindowOptions {
  /** More messages than this are compacted; a turn is two. */
  readonly maxMessages: number;
  /**
   * How many of the newest survive a compaction. Default: as many as fit beside the summary. Fewer make compactions rarer, and each one costs whoever
   * caches the conversation everything behind its first message. An odd number counts as the even one below.
   */
  readonly keepMessages?: number;
  /** What a summary loses when it is full: its end (`head`: the earliest facts are the last to go), or its middle (`headTail`). */
  readonly summary?: 'head' | 'headTail';
}

/** Twelve turns. */
export const WINDOW_MESSAGES = 24;
export const SUMMARY_PREFIX = 'Session summary:';

const LINE_CHARACTERS = 700;
const BODY_CHARACTERS = 6000;
const HEAD_SHARE = 0.4;
/** Always of the same length: a second cut finds the first one's mark where it cuts, and takes it out. */
const OMITTED = '\n[... omitted ...]\n';

/**
 * The conversation within its window: unchanged when it fits, else one assistant message that begins `Session summary:`, followed by the newest messages
 * verbatim, an even number of them. A summary that leaves the window is merged into the new one: there is never more than one. Pure.
 */
export function compactMessages(
  messages: readonly Message[],
  options: WindowOptions = { maxMessages: WINDOW_MESSAGES },
): readonly Message[] {
  const { maxMessages, summary = 'head' } = options;
  if (!(maxMessages >= 1)) throw new RangeError(`max_messages must be at least 1, not ${maxMessages}`);
  if (messages.length <= maxMessages) return messages;
  const keep = evenBelow(Math.min(options.keepMessages ?? Number.POSITIVE_INFINITY, maxMessages - 1));
  const border = messages.length - keep;
  const [first, ...others] = messages.slice(0, border);
  const prior = first && summaryOf(first);
  const lines = (prior === undefined && first ? [first, ...others] : others).flatMap(toLine);
  const body = [prior ?? '', lines.join('\n')].filter((part) => part !== '').join('\n');
  return [{ role: 'assistant', text: `${SUMMARY_PREFIX}\n${cut(body, summary)}` }, ...messages.slice(border)];
}

/** The body of a summary; undefined for any other message. */
export function summaryOf({ role, text }: Message): string | undefined {
  if (role !== 'assistant') return undefined;
  if (text === SUMMARY_PREFIX) return '';
  return text.startsWith(`${SUMMARY_PREFIX}\n`) ? text.slice(SUMMARY_PREFIX.length + 1) : undefined;
}

function evenBelow(count: number): number {
  const whole = Math.max(0, Math.floor(count));
  return whole - (whole % 2);
}

/** Who said nothing needs no line. */
function toLine({ role, text }: Message): readonly string[] {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (flat === '') return [];
  const short = flat.length > LINE_CHARACTERS ? `${wholeUntil(flat, LINE_CHARACTERS - 3)}...` : flat;
  return [`- ${role}: ${short}`];
}

function cut(body: string, summary: 'head' | 'headTail'): string {
  if (body.length <= BODY_CHARACTERS) return body;
  if (summary === 'head') return wholeUntil(body, BODY_CHARACTERS);
  const room = BODY_CHARACTERS - OMITTED.length;
  const head = Math.floor(HEAD_SHARE * room);
  return wholeUntil(body, head) + OMITTED + body.slice(body.length - (room - head)).replace(/^[\udc00-\udfff]/, '');
}

/** The first `length` UTF-16 units, and one less where that would halve a character. */
function wholeUntil(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

import { WILDCARD } from './character-class.ts';

/** What is known of one position at which skeletons differ while everything else in them is equal. */
export interface PositionEvidence {
  /** Different words seen there. */
  readonly values: readonly string[];
  /** Constant words around it. */
  readonly constantWords: number;
  /** The token before it. */
  readonly before: string;
  /** True when no word and no value stands before it. */
  readonly isFirst: boolean;
  /** The first segment of a route, which names the resource. */
  readonly isResource: boolean;
  /** A line exists that has a value (a wildcard by form) in this very position. */
  readonly hasWildcardSibling: boolean;
  /** True for a word already found to be a value in another position. */
  isKnownValue?(word: string): boolean;
  /** True for a word that varies, among several others, in a second place too. */
  variesElsewhere?(word: string): boolean;
}

/** Words after which messages name the thing they are about. */
const CUES = new Set(
  (
    'for from to by on of in at as with via using user host topic table group queue job file node service container ' +
    'pod namespace tenant database key named called member role bucket client server plugin module device interface'
  ).split(' '),
);
/** What a message says happened, or which kind of thing: two messages that differ there are two messages. */
const OUTCOME =
  /[a-z]{3}(?:ed|ing)$|(?:Exception|Error)$|^(?:start|stop|startup|shutdown|begin|end|open|close|ok|fail|failure|success|up|down|on|off|enabled|disabled|yes|no|not|get|set|put|add|remove|create|delete|update|read|write|send|receive|connect|disconnect|before|after|first|last|new|old|in|out|left|right|input|output|max|min)$/i;
const PLAIN_WORD = /^(?:[a-z]+|[A-Z][a-z]+|[A-Z]{2,}|\P{ASCII}+)$/u;

/** Evidence in favour weighs more than this: the position is a variable. */
export const ENOUGH = 3.6;
/** Fewer different words are no list of values, unless something else says that they are values. */
export const MIN_VALUES = 3;

/**
 * Weighs whether a position is a variable: 0 for fewer than three words, unless all are known values or a wildcard
 * stands beside them. Else one sum for all cases; each term is one reason from how logs are written:
 * - growth: a constant has one spelling, a value has many, each further one surprises less (logarithm);
 * - context: two messages that share many words by chance are rarer than two that share few;
 * - form: names, codes and paths are values more often than dictionary words are;
 * - cue: values follow a preposition, a noun that names their kind, or a colon;
 * - recurrence: a word that was a value elsewhere is a value here; words that vary together in several places are
 *   values in all;
 * - sibling: where a number or path has been seen, a word is a value too;
 * - against: the first word of a message is its verb or subject, the first segment of a route the resource, and words
 *   for outcomes are the message itself.
 */
export function weigh(evidence: PositionEvidence): number {
  const { values } = evidence;
  const share = (test: (word: string) => boolean) => values.filter(test).length / Math.max(1, values.length);
  const known = share((word) => evidence.isKnownValue?.(word) ?? false);
  if (values.length < MIN_VALUES && !evidence.hasWildcardSibling && known < 1) return 0;
  const elsewhere = values.length < MIN_VALUES ? 0 : share((word) => evidence.variesElsewhere?.(word) ?? false);
  const outcome = share((word) => OUTCOME.test(word));
  return (
    1.5 * Math.log(Math.max(1, values.length)) +
    0.5 * Math.min(4, evidence.constantWords) +
    1.2 * share((word) => !PLAIN_WORD.test(word)) +
    (!evidence.isFirst && isCue(evidence.before) ? 1 : 0) +
    1.5 * known +
    1.2 * elsewhere +
    (evidence.hasWildcardSibling ? 2.5 : 0) -
    (evidence.isFirst ? 1.5 : 0) -
    (evidence.isResource ? 3 : 0) -
    1.3 * outcome
  );
}

function isCue(before: string): boolean {
  return /[:：]$/.test(before) || CUES.has(before.toLowerCase()) || before.startsWith(`/${WILDCARD}`);
}

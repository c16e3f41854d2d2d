import type { Labels } from '../../domain/labels.ts';
import { compilePattern, PatternError } from './linear-pattern.ts';

/** A matcher, or a list of labels, that cannot be read; the message says why and what to write instead. */
export class MatcherError extends Error {
  override readonly name = 'MatcherError';
}

/** One condition on one label. A label that is not there counts as empty, as in Alertmanager. */
export interface Matcher {
  readonly label: string;
  /** As it was written: for people. */
  readonly text: string;
  readonly accepts: (value: string) => boolean;
}

const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
const NAME = /[^\s{}!=~,\\"'`]+/y;
/** Without quotes a value ends at a space, a comma or a brace. */
const BARE_VALUE = /[^\s,{}"'`]+/y;
const OPERATOR = /=~|!~|!=|=/y;
const SPACE = /\s*/y;

/**
 * Reads Alertmanager's own matchers: `severity="critical"`, `team=~"pay.*"`, several with commas, with or without braces; names may be quoted, too. In
 * quotes `\"`, `\\` and `\n` are escapes, as in Alertmanager; any other backslash stands for itself. Throws MatcherError.
 */
export function parseMatchers(text: string): readonly Matcher[] {
  return readList(text, (reader) => readMatcher(reader));
}

/** `severity=critical, team="pay ments"`: labels as people type them. Throws MatcherError. */
export function parseLabels(text: string): Labels {
  const pairs = readList(text, (reader) => {
    const name = reader.name();
    const operator = reader.operator();
    if (operator !== '=') throw new MatcherError(`${name}${operator}: a label takes =, such as severity=critical`);
    return [name, reader.value()] as const;
  });
  return Object.fromEntries(pairs);
}

/** True when every matcher holds. */
export function matchesAll(matchers: readonly Matcher[], labels: Labels): boolean {
  return matchers.every(({ label, accepts }) => accepts((Object.hasOwn(labels, label) ? labels[label] : '') ?? ''));
}

class Reader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  name(): string {
    return this.#quoted() ?? this.#must(NAME, 'a label name is missing');
  }

  operator(): string {
    this.take(SPACE);
    return this.#must(OPERATOR, 'one of = != =~ !~ is missing');
  }

  /** May be empty. */
  value(): string {
    this.take(SPACE);
    const quoted = this.#quoted();
    if (quoted !== undefined) return quoted;
    if (/["'`]/.test(this.text[this.at] ?? ''))
      throw new MatcherError(`${this.rest()}: values take double quotes, and both of them`);
    return this.take(BARE_VALUE) ?? '';
  }

  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  rest(): string {
    return this.text.slice(this.at, this.at + 40);
  }

  #quoted(): string | undefined {
    const found = this.take(QUOTED);
    if (found === undefined) return undefined;
    const escapes: Readonly<Record<string, string>> = { '\\"': '"', '\\\\': '\\', '\\n': '\n' };
    return found.slice(1, -1).replace(/\\[\s\S]/g, (escape) => escapes[escape] ?? escape);
  }

  #must(pattern: RegExp, problem: string): string {
    const found = this.take(pattern);
    if (found === undefined) throw new MatcherError(`${problem} at '${this.rest()}' in '${this.text}'`);
    return found;
  }
}

function readList<T>(text: string, read: (reader: Reader) => T): readonly T[] {
  const trimmed = text.trim();
  const hasBraces = trimmed.startsWith('{');
  if (hasBraces !== trimmed.endsWith('}')) throw new MatcherError(`'${text}' has only one of its braces`);
  const reader = new Reader(hasBraces ? trimmed.slice(1, -1) : trimmed);
  const items: T[] = [];
  for (reader.take(SPACE); reader.at < reader.text.length; reader.take(SPACE)) {
    items.push(read(reader));
    reader.take(SPACE);
    if (reader.at < reader.text.length && reader.take(/,/y) === undefined)
      throw new MatcherError(`'${reader.rest()}' is not expected in '${text}'; put the value in double quotes`);
  }
  return items;
}

function readMatcher(reader: Reader): Matcher {
  const from = reader.at;
  const label = reader.name();
  const operator = reader.operator();
  const value = reader.value();
  const text = reader.text.slice(from, reader.at).trim();
  const isNegative = operator.startsWith('!');
  const isMatch = operator.endsWith('~') ? pattern(value, text) : (given: string) => given === value;
  return { label, text, accepts: (given) => isMatch(given) !== isNegative };
}

function pattern(value: string, text: string): (given: string) => boolean {
  try {
    return compilePattern(value);
  } catch (error) {
    if (error instanceof PatternError)
      throw new MatcherError(`${text}: the pattern ${error.message}`, { cause: error });
    throw error;
  }
}

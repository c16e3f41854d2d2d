import type { Labels } from '../../domain/labels.ts';
import { compilePattern, PatternError } from './linear-pattern.ts';

/** Matchers, or labels, that cannot be read; each problem says why and what to write instead. */
export class MatcherError extends Error {
  override readonly name = 'MatcherError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('; '), options);
    this.problems = problems;
  }
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
/** As far as it goes, so that `==` is not read as `=` and a value. */
const OPERATOR = /[=!~]+/y;
const OPERATORS = ['=', '!=', '=~', '!~'];
/** What other languages write. */
const MEANT: Readonly<Record<string, string>> = {
  '==': '=',
  '===': '=',
  '!==': '!=',
  '=!': '!=',
  '!': '!=',
  '~': '=~',
  '~=': '=~',
  '~!': '!~',
};
/** Up to the comma that ends it; one in quotes does not. */
const REST_OF_ITEM = /(?:"(?:[^"\\]|\\[\s\S])*"|[^,])*/y;
const SPACE = /\s*/y;

/**
 * Reads Alertmanager's own matchers: `severity="critical"`, `team=~"pay.*"`, several with commas, with or without braces; names may be quoted, too. In
 * quotes `\"`, `\\` and `\n` are escapes, as in Alertmanager; any other backslash stands for itself. Throws MatcherError.
 */
export function parseMatchers(text: string): readonly Matcher[] {
  return readList(text, readMatcher);
}

/** `severity=critical, team="pay ments"`: labels as people type them. Throws MatcherError. */
export function parseLabels(text: string): Labels {
  const pairs = readList(text, (reader) => {
    const name = reader.name();
    const operator = reader.operator(name, (label, value) => `${label}=${value}`);
    if (operator === '=') return [name, reader.value()] as const;
    throw new MatcherError([`${name}${operator}: labels take only =, such as ${name}=${reader.nextWord()}`]);
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

  /** `write`: how name and value are put together, to show what was meant. */
  operator(name: string, write: (name: string, value: string) => string): string {
    this.take(SPACE);
    const operator = this.take(OPERATOR);
    if (operator === undefined) {
      const [, label = name, value = ''] = /^([^:<>]+)[:<>]*(.*)$/s.exec(name) ?? [];
      throw new MatcherError([`${name}: an operator is missing: write ${write(label, value || this.nextWord())}`]);
    }
    if (OPERATORS.includes(operator)) return operator;
    const meant = MEANT[operator];
    const remedy =
      meant === undefined
        ? `known are ${OPERATORS.join(' ')}; a value that begins like one takes double quotes`
        : `Alertmanager's is ${meant}: write ${write(name, this.nextWord()).replace('=', meant)}`;
    throw new MatcherError([`${name}${operator}: there is no operator ${operator}; ${remedy}`]);
  }

  /** What probably is the value, for an example. */
  nextWord(): string {
    return /^\s*"?([^\s,"{}]{1,40})/.exec(this.text.slice(this.at))?.[1] ?? 'critical';
  }

  /** May be empty. */
  value(): string {
    this.take(SPACE);
    const quoted = this.#quoted();
    if (quoted !== undefined) return quoted;
    if (/["'`]/.test(this.text[this.at] ?? ''))
      throw new MatcherError([
        `${this.rest()}: values take double quotes, and both of them; in a YAML list, a matcher with a comma or bracket in it stands in single quotes`,
      ]);
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
    if (found === undefined) throw new MatcherError([`${problem} at '${this.rest()}' in '${this.text}'`]);
    return found;
  }
}

/** Goes on behind what cannot be read, so that all of it is told. */
function readList<T>(text: string, read: (reader: Reader) => T): readonly T[] {
  const trimmed = text.trim();
  const hasBraces = trimmed.startsWith('{');
  if (hasBraces !== trimmed.endsWith('}')) throw new MatcherError([`'${text}' has only one of its braces`]);
  const reader = new Reader(hasBraces ? trimmed.slice(1, -1) : trimmed);
  const items: T[] = [];
  const problems: string[] = [];
  for (reader.take(SPACE); reader.at < reader.text.length; reader.take(SPACE)) {
    try {
      items.push(readItem(reader, read));
    } catch (error) {
      if (!(error instanceof MatcherError)) throw error;
      problems.push(...error.problems);
      reader.take(REST_OF_ITEM);
      reader.take(/,/y);
    }
  }
  if (problems.length > 0) throw new MatcherError(problems);
  return items;
}

function readItem<T>(reader: Reader, read: (reader: Reader) => T): T {
  const item = read(reader);
  reader.take(SPACE);
  if (reader.at === reader.text.length || reader.take(/,/y) !== undefined) return item;
  const rest = reader.rest();
  const remedy = /^[^\s="]+\s*[=!]/.test(rest) ? 'put a comma before it' : 'put the value in double quotes';
  throw new MatcherError([`'${rest}' is not expected in '${reader.text}'; ${remedy}`]);
}

function readMatcher(reader: Reader): Matcher {
  const from = reader.at;
  const label = reader.name();
  const operator = reader.operator(label, (name, value) => `${name}="${value}"`);
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
      throw new MatcherError([`${text}: the pattern ${error.message}`], { cause: error });
    throw error;
  }
}

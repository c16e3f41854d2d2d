import type { TestSpan } from './test-spans.ts';

/** A query that is no TraceQL, or more of it than the tests need. */
export class TraceQlError extends Error {
  override readonly name = 'TraceQlError';
}

type Condition = (span: TestSpan) => boolean;
type Value = string | number | undefined;

const TOKEN =
  /\s*(?:(?<string>"(?:[^"\\\n]|\\.)*")|(?<duration>\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))|(?<number>\d+)|(?<name>[a-z][\w.]*)|(?<symbol>&&|\|\||>=|<=|!=|=~|[{}()=<>]))/gy;
const UNIT_US: Readonly<Record<string, number>> = { ns: 0.001, us: 1, ms: 1000, s: 1e6, m: 6e7, h: 3.6e9 };

interface Token {
  readonly kind: string;
  readonly text: string;
}

/** Reads one spanset filter, `{ a = "b" && (c || d) }`, as Tempo's documentation has it. Throws `TraceQlError`. */
export function parseTraceQl(query: string): Condition {
  const tokens = tokensOf(query);
  let at = 0;
  const next = () => tokens[at++] ?? { kind: 'end', text: '' };
  const peek = () => tokens[at]?.text;
  const expect = (text: string) => {
    const token = next();
    if (token.text !== text)
      throw new TraceQlError(`parse error: unexpected ${token.text || 'end'}, expecting ${text}`);
  };
  const joined = (symbol: string, part: () => Condition, join: (all: readonly Condition[]) => Condition) => {
    const all = [part()];
    while (peek() === symbol) {
      next();
      all.push(part());
    }
    return join(all);
  };
  const either = (): Condition => joined('||', both, (all) => (span) => all.some((one) => one(span)));
  const both = (): Condition => joined('&&', single, (all) => (span) => all.every((one) => one(span)));
  const single = (): Condition => {
    if (peek() !== '(') return comparison(next(), next(), next());
    next();
    const inner = either();
    expect(')');
    return inner;
  };
  expect('{');
  const condition = peek() === '}' ? () => true : either();
  expect('}');
  if (at < tokens.length) throw new TraceQlError(`parse error: unexpected ${peek() ?? ''}`);
  return condition;
}

function tokensOf(query: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const trimmed = query.trimEnd();
  while (TOKEN.lastIndex < trimmed.length) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(trimmed)?.groups;
    if (!groups) throw new TraceQlError(`parse error at line 1, col ${at + 1}: invalid character`);
    const [kind, text] = Object.entries(groups).find(([, value]) => value !== undefined) ?? ['', ''];
    tokens.push({ kind, text });
  }
  return tokens;
}

const STATUS_KINDS: ReadonlySet<string> = new Set(['error', 'ok', 'unset', 'server', 'client', 'internal']);

function comparison(field: Token, operator: Token, literal: Token): Condition {
  const read = readerOf(field);
  const wanted = literalOf(literal);
  const by: Readonly<Record<string, (a: Value) => boolean>> = {
    '=': (a) => a === wanted,
    '!=': (a) => a !== undefined && a !== wanted,
    '>=': (a) => typeof a === typeof wanted && a !== undefined && a >= wanted,
    '<=': (a) => typeof a === typeof wanted && a !== undefined && a <= wanted,
  };
  const test = by[operator.text];
  if (!test) throw new TraceQlError(`parse error: unexpected ${operator.text || 'end'}`);
  return (span) => test(read(span));
}

function literalOf({ kind, text }: Token): string | number {
  // Go's strings know all escapes of JSON.
  if (kind === 'string') return JSON.parse(text) as string;
  if (kind === 'number') return Number(text);
  const unit = /[a-z]+$/.exec(text)?.[0] ?? '';
  if (kind === 'duration') return Number(text.slice(0, -unit.length)) * (UNIT_US[unit] ?? 1);
  if (kind === 'name' && STATUS_KINDS.has(text)) return text;
  throw new TraceQlError(`parse error: unexpected ${text || 'end'}`);
}

function readerOf({ kind, text }: Token): (span: TestSpan) => Value {
  const intrinsics: Readonly<Record<string, (span: TestSpan) => Value>> = {
    'resource.service.name': ({ service }) => service,
    name: ({ name }) => name,
    duration: ({ durationUs }) => durationUs,
    status: ({ failed }) => (failed ? 'error' : 'unset'),
    kind: (span) => span.kind ?? 'server',
  };
  if (kind === 'name' && intrinsics[text]) return intrinsics[text];
  if (kind === 'name' && text.startsWith('span.')) return ({ attributes }) => attributes?.[text.slice(5)];
  throw new TraceQlError(`parse error: unexpected ${text || 'end'}`);
}

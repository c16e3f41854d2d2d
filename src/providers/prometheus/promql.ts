import type { Labels } from '../../domain/labels.ts';

/** A character that is special in a regular expression of PromQL (RE2). */
const REGEX_SPECIAL = /[\\.+*?()|[\]{}^$]/g;
const LONE_SURROGATE = /[\ud800-\udfff]/gu;

/** The text between the quotes of a double-quoted PromQL string. PromQL's escapes are Go's, which know all that JSON writes. */
function escapeString(value: string): string {
  return JSON.stringify(value.replace(LONE_SURROGATE, '\ufffd')).slice(1, -1);
}

/** Text that matches exactly `value` in a PromQL regular expression, not yet in a string. */
export function escapeRegex(value: string): string {
  return value.replace(REGEX_SPECIAL, '\\$&');
}

/** `"value"` */
export function stringLiteral(value: string): string {
  return `"${escapeString(value)}"`;
}

const PLACEHOLDER = /\{\{\s*([a-zA-Z_]\w*)\s*\}\}/g;
const QUOTED = /(=~|!~)?(\s*)"((?:[^"\\]|\\.)*)"/g;

/** Names of the labels a template needs: its placeholders inside strings. */
export function labelsOfTemplate(template: string): readonly string[] {
  const names = [...template.matchAll(QUOTED)].flatMap((quoted) => placeholdersOf(quoted[3] ?? ''));
  return [...new Set(names)];
}

/** Placeholders outside strings: these stand for PromQL, so only the fixed ones may be used there. */
export function barePlaceholders(template: string): readonly string[] {
  return placeholdersOf(template.replace(QUOTED, ''));
}

function placeholdersOf(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '');
}

/**
 * Fills a query template. Label values come from an alert, which anybody may have written, so inside a string they are escaped as
 * string, and after `=~` or `!~` as regular expression too: they cannot leave their quotes. Undefined when a label is not set.
 */
export function fillTemplate(
  template: string,
  labels: Labels,
  fixed: Readonly<Record<string, string>>,
): string | undefined {
  if (labelsOfTemplate(template).some((name) => !labels[name])) return undefined;
  // One pass over strings and the gaps between them, so that nothing filled in is read as a template again.
  const parts = new RegExp(`${QUOTED.source}|${PLACEHOLDER.source}`, 'g');
  return template.replace(parts, (whole, operator?: string, blank?: string, inner?: string, bare?: string) => {
    if (bare !== undefined) return fixed[bare] ?? whole;
    const filled = (inner ?? '').replace(PLACEHOLDER, (_, name: string) => {
      const value = labels[name] ?? '';
      return escapeString(operator === undefined ? value : escapeRegex(value));
    });
    return `${operator ?? ''}${blank ?? ''}"${filled}"`;
  });
}

const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;

/**
 * The measured side of an alert's expression: `x > 5` becomes `x`, so that its values are seen when it does not fire, too. Only
 * where that is certain (one comparison with a number, at the top level); else the expression itself.
 */
export function withoutThreshold(expression: string): string {
  const text = unwrap(expression.trim());
  const top = topLevelOf(text);
  if (top === undefined || /\b(and|or|unless)\b/i.test(top)) return expression;
  const comparisons = [...top.matchAll(/==|!=|>=|<=|>|</g)];
  const only = comparisons[0];
  if (comparisons.length !== 1 || !only) return expression;
  const left = text.slice(0, only.index).trim();
  const right = text
    .slice(only.index + only[0].length)
    .replace(/^\s*bool\b/, '')
    .trim();
  if (NUMBER.test(right) && left) return unwrap(left);
  if (NUMBER.test(left) && right) return unwrap(right);
  return expression;
}

/** The text with everything inside brackets and quotes replaced by blanks of the same length; undefined when they do not match. */
function topLevelOf(text: string): string | undefined {
  let top = '';
  let depth = 0;
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position] ?? '';
    if (character === '"' || character === "'" || character === '`') {
      const end = endOfString(text, position);
      if (end < 0) return undefined;
      top += ' '.repeat(end - position + 1);
      position = end;
      continue;
    }
    if (character === '#') return undefined;
    if ('([{'.includes(character)) depth += 1;
    top += depth > 0 ? ' ' : character;
    if (')]}'.includes(character)) depth -= 1;
    if (depth < 0) return undefined;
  }
  return depth === 0 ? top : undefined;
}

function endOfString(text: string, start: number): number {
  const quote = text[start];
  for (let position = start + 1; position < text.length; position += 1) {
    if (text[position] === '\\' && quote !== '`') position += 1;
    else if (text[position] === quote) return position;
  }
  return -1;
}

/** Without brackets around the whole. */
function unwrap(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  const inner = text.slice(1, -1).trim();
  return topLevelOf(inner) === undefined ? text : unwrap(inner);
}

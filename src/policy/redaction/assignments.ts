import { judgeName, judgeQueryName, NAME_STEM, type NameVerdict } from './names.ts';
import { PLACEHOLDER_START, type RedactionPass } from './placeholder.ts';
import { closingQuote } from './quotes.ts';
import { isHarmlessValue, looksLikeLooseSecret, looksRandom } from './values.ts';

const NAME_CHARACTER = /[\w.-]/;
const LONGEST_NAME_PART = 64;

/** `:`, `=`, `=>`, `:=` after the name's own closing quote; a comparison (`==`) assigns nothing. A YAML block sign, anchor or tag may follow, or a list. */
const SEPARATOR =
  /(\\{0,7}["'`])?[ \t]{0,8}(?::=|=>|=(?!=)|:(?![:/])|%3[AaDd])[ \t]{0,8}(?:[|>][+-]?[ \t]{0,4}(?:\r?\n|\\n)[ \t]{1,40}|(?:&[\w-]{1,40}|!{1,2}\w{1,20})[ \t]{1,4}|\[[ \t]{0,4}(?=\\{0,7}["']))?/y;
/** `{"name": "DB_PASSWORD", "value": …}`, the same in YAML, `key="Password" value=…` in XML, `"db_password" { default = … }` in HCL. */
const NAMED_VALUE =
  /\\{0,7}["']?(?:(?:[ \t]{0,8},)?(?:\s|\\n){0,40}\\{0,7}["']?value\\{0,7}["']?[ \t]{0,8}[:=]|\s{0,8}\{[^{}]{0,200}?\bdefault[ \t]{0,8}=)[ \t]{0,8}/iy;
/** The end of an opening tag, or `</key><string>` after a name that is itself an element's text. */
const ELEMENT = /(?:(?:\s[^<>]{0,200})?>|<\/\w{1,20}>\s{0,40}<\w{1,20}>)(?:<!\[CDATA\[)?(?!<)/y;
const ELEMENT_TEXT = /[^<]{1,8192}(?=<\/)/y;
const BLANKS = /[ \t]{1,8}(?:(?:is|was)[ \t]{1,4})?/y;
/** The prefix letters of string literals, and constructors that only wrap a text: `Some("…")`. */
const OPENING_QUOTE =
  /(?:[bru@](?=["'])|(?:Some|Just|Optional\.of|Secret\w{0,12}|String)\((?=\\{0,7}["']))?(\\{0,7}["'`])/y;
/** Up to white space, an escape, or a quote that closes what is around the assignment. */
const BARE_VALUE = /(?:[^\s"'`\\]|["'`](?![\s,;:}\])&|\\]|$)|\\(?![nrtbf"'\\u])){1,8192}/y;
const BARE_VALUE_START = /(?:[^\s"'`\\]|["'`](?![\s,;:}\])&|\\]|$)|\\(?![nrtbf"'\\u])){1,256}/y;
/** Where the next assignment of a list begins: `a=1&b=2`, `a=1;b=2`, `a=1,b=2`. */
const NEXT_ASSIGNMENT = /%26|[&;,](?=["']?[A-Za-z][\w .-]{0,40}["']?[=:])/;

interface Span {
  readonly start: number;
  readonly end: number;
}
interface Found {
  readonly name: string;
  readonly nameSpan: Span;
  /** The name's own quote: a bare value after it is a JSON number and needs quotes when replaced. */
  readonly nameQuote: string;
  readonly valueStart: number;
  readonly separator: 'assignment' | 'blank' | 'element';
}

/**
 * Masks the value in `name <separator> value`, in plain text, JSON, escaped JSON, YAML, properties, environment, query, connection
 * string, command line and XML form. The name decides, the value is taken whole up to its syntactic end. One scan from stem to stem.
 */
export const assignmentPass: RedactionPass = (text, mask) => {
  const kept: string[] = [];
  let from = 0;
  NAME_STEM.lastIndex = 0;
  for (let stem = NAME_STEM.exec(text); stem; stem = NAME_STEM.exec(text)) {
    const found = nameAt(text, stem.index, from);
    NAME_STEM.lastIndex = Math.max(found.nameSpan.end, stem.index + 1);
    if (text.startsWith(PLACEHOLDER_START, found.nameSpan.start - PLACEHOLDER_START.length)) continue;
    const assigned = assignmentAt(text, found);
    const verdict = assigned && verdictOn(text, assigned);
    if (!assigned || !verdict) continue;
    const value = valueAt(text, assigned);
    if (!value || !isSecret(text, assigned, verdict, value)) continue;
    const masked = mask(verdict.type, text.slice(value.start, value.end));
    const quote = value.bare && assigned.nameQuote.endsWith('"') ? assigned.nameQuote : '';
    kept.push(text.slice(from, value.start), quote, masked, quote);
    from = value.end;
    NAME_STEM.lastIndex = value.end;
  }
  return from === 0 ? text : kept.join('') + text.slice(from);
};

function nameAt(text: string, stemIndex: number, floor: number): { name: string; nameSpan: Span } {
  let start = stemIndex;
  const lowest = Math.max(floor, stemIndex - LONGEST_NAME_PART);
  while (start > lowest && NAME_CHARACTER.test(text[start - 1] ?? '')) start--;
  // `\npassword`: the letter belongs to the escape.
  if (text[start - 1] === '\\' && start < stemIndex && /[nrt]/.test(text[start] ?? '')) start++;
  let end = stemIndex;
  const highest = Math.min(text.length, stemIndex + LONGEST_NAME_PART);
  while (end < highest && NAME_CHARACTER.test(text[end] ?? '')) end++;
  return { name: text.slice(start, end), nameSpan: { start, end } };
}

function assignmentAt(text: string, { name, nameSpan }: { name: string; nameSpan: Span }): Found | undefined {
  const { end, start } = nameSpan;
  const at = (valueStart: number, separator: Found['separator'], nameQuote = ''): Found => ({
    name,
    nameSpan,
    nameQuote,
    valueStart,
    separator,
  });
  const separator = matchAt(SEPARATOR, text, end);
  if (separator) return at(end + separator[0].length, 'assignment', separator[1]);
  const named = matchAt(NAMED_VALUE, text, end);
  if (named) return at(end + named[0].length, 'assignment');
  const element = /[<:>]/.test(text[start - 1] ?? '') ? matchAt(ELEMENT, text, end) : null;
  if (element) return at(end + element[0].length, 'element');
  const blanks = matchAt(BLANKS, text, end);
  if (!blanks) return undefined;
  const next = end + blanks[0].length;
  const isOption = name.startsWith('-') && text[next] !== '-';
  const isQuotedPassword = /["']/.test(text[next] ?? '') && /pass\w{0,10}$|pwd$/i.test(name);
  return isOption || isQuotedPassword ? at(next, 'assignment') : at(next, 'blank');
}

function verdictOn(text: string, { name, nameSpan }: Found): NameVerdict | undefined {
  const before = text[nameSpan.start - 1];
  if (before === '?' || before === '&') return judgeQueryName(name);
  // `api key: …`: the word before belongs to the name.
  const isLoneKey = /^key$/i.test(name) && before === ' ';
  if (!isLoneKey) return judgeName(name);
  const word = /[A-Za-z]{1,20}$/.exec(text.slice(Math.max(0, nameSpan.start - 21), nameSpan.start - 1));
  const verdict = judgeName(`${word?.[0] ?? ''} ${name}`);
  return verdict?.strength === 'strong' ? verdict : undefined;
}

function valueAt(text: string, found: Found): (Span & { readonly bare: boolean }) | undefined {
  const start = found.valueStart;
  if (found.separator === 'element') {
    const inside = matchAt(ELEMENT_TEXT, text, start)?.[0].replace(']]>', '').trimEnd();
    return inside ? { start, end: start + inside.length, bare: true } : undefined;
  }
  const quote = matchAt(OPENING_QUOTE, text, start);
  if (quote) {
    const inside = start + quote[0].length;
    const opening = quote[1] ?? '"';
    return closesOuter(text, inside, opening, found.nameQuote)
      ? undefined
      : { start: inside, end: closingQuote(text, inside, opening), bare: false };
  }
  // A list or an object under a quoted name: what it holds is looked at by itself.
  if (found.nameQuote && /[[{]/.test(text[start] ?? '')) return undefined;
  const value = bareValue(bareRun(text, start), found, text[found.nameSpan.start - 1]);
  return value ? { start, end: start + value.length, bare: true } : undefined;
}

/** True when the quote after the separator ends a string around the name instead of opening a value: `["password="]`. */
function closesOuter(text: string, inside: number, quote: string, nameQuote: string): boolean {
  if (quote.length < nameQuote.length) return true;
  return quote !== nameQuote && /[\s,}\]:]/.test(text[inside] ?? ' ');
}

/** Long runs are read whole only when their start may be a secret: else harmless values inside each other would be read over and over. */
function bareRun(text: string, start: number): string {
  const head = matchAt(BARE_VALUE_START, text, start)?.[0] ?? '';
  if (head.length < 256 || isHarmlessValue(head, 'token')) return head;
  return matchAt(BARE_VALUE, text, start)?.[0] ?? '';
}

function bareValue(run: string, found: Found, before: string | undefined): string {
  let value = run;
  if (before === '?' || before === '&') value = cutAt(value, /[&#]/);
  else if (found.nameQuote) value = cutAt(value, /[,}\]]/);
  else value = cutAt(value, NEXT_ASSIGNMENT);
  const opened = /[([{]/.test(value);
  return value.replace(opened ? /[,;]{1,4}$/ : /[,;)\]}]{1,4}$/, '');
}

function isSecret(text: string, found: Found, verdict: NameVerdict, span: Span & { readonly bare: boolean }): boolean {
  const value = text.slice(span.start, span.end);
  if (isHarmlessValue(value, verdict.type)) return false;
  if (found.separator === 'blank') return verdict.strength === 'strong' && looksLikeLooseSecret(value);
  if (verdict.strength === 'weak') return looksRandom(value);
  // `password: incorrect for user bob` is prose; `password: hunter` at the end of its line is YAML.
  const isProse =
    span.bare && /^[A-Za-z]{1,20}$/.test(value) && /^[ \t]{1,4}[A-Za-z]/.test(text.slice(span.end, span.end + 6));
  return !(isProse && text[found.valueStart - 1] === ' ');
}

function cutAt(value: string, pattern: RegExp): string {
  const cut = value.search(pattern);
  return cut < 0 ? value : value.slice(0, cut);
}

function matchAt(sticky: RegExp, text: string, index: number): RegExpExecArray | null {
  sticky.lastIndex = index;
  return sticky.exec(text);
}

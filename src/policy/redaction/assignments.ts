import {
  BARE_VALUE,
  BARE_VALUE_START,
  BLANKS,
  CALL,
  CELL,
  ELEMENT,
  ELEMENT_TEXT,
  FORM_PART,
  NAMED_VALUE,
  NEXT_ARGUMENT,
  NEXT_ASSIGNMENT,
  OPENING_QUOTE,
  REST_OF_LINE,
  SEPARATOR,
  TUPLE,
} from './assignment-grammar.ts';
import { isNameAlone, judgeName, judgeQueryName, NAME_STEM, type NameVerdict } from './names.ts';
import { PLACEHOLDER_START, type RedactionPass } from './placeholder.ts';
import { closingQuote } from './quotes.ts';
import { isHarmlessValue, isObjectName, looksChosen, looksLikeLooseSecret, looksRandom } from './values.ts';

const NAME_CHARACTER = /[\p{L}\p{N}_.-]/u;
const LONGEST_NAME_PART = 64;

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
  readonly separator: 'assignment' | 'blank' | 'element' | 'tuple' | 'cell';
  readonly isList: boolean;
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
    let value = valueAt(text, assigned, verdict);
    if (!value || !isSecret(text, assigned, verdict, value)) continue;
    while (value) {
      const quote: string = value.bare && assigned.nameQuote.endsWith('"') ? assigned.nameQuote : '';
      kept.push(text.slice(from, value.start), quote, mask(verdict.type, text.slice(value.start, value.end)), quote);
      from = value.end;
      NAME_STEM.lastIndex = value.end;
      value = nextValue(text, assigned, value, verdict);
    }
  }
  return from === 0 ? text : kept.join('') + text.slice(from);
};

function nameAt(text: string, stemIndex: number, floor: number): { name: string; nameSpan: Span } {
  let start = stemIndex;
  const lowest = Math.max(floor, stemIndex - LONGEST_NAME_PART);
  while (start > lowest && NAME_CHARACTER.test(text[start - 1] ?? '')) start--;
  // `\npassword`, `\u0022password`: what belongs to the escape is no part of the name.
  if (text[start - 1] === '\\' && start < stemIndex) {
    if (/[nrt]/.test(text[start] ?? '')) start++;
    else if (/^u00[0-9a-f]{2}/i.test(text.slice(start, start + 5))) start += 5;
  }
  // A colour before the name: `\x1b[36mpassword`.
  if (text[start - 1] === '[' && text[start - 2] === '\x1b')
    start += /^[\d;]{0,10}m/.exec(text.slice(start, start + 12))?.[0].length ?? 0;
  let end = stemIndex;
  const highest = Math.min(text.length, stemIndex + LONGEST_NAME_PART);
  while (end < highest && NAME_CHARACTER.test(text[end] ?? '')) end++;
  while (end > stemIndex && text[end - 1] === '-' && text[end] === '>') end--;
  return { name: text.slice(start, end), nameSpan: { start, end } };
}

function assignmentAt(text: string, { name, nameSpan }: { name: string; nameSpan: Span }): Found | undefined {
  const { end, start } = nameSpan;
  const at = (match: RegExpExecArray, separator: Found['separator'], nameQuote = '', isList = false): Found => {
    return { name, nameSpan, nameQuote, valueStart: end + match[0].length, separator, isList };
  };
  const separator = matchAt(SEPARATOR, text, end);
  if (separator) return at(separator, 'assignment', separator[1], /[[-][ \t]*$/.test(separator[0]));
  const named = matchAt(NAMED_VALUE, text, end) ?? matchAt(FORM_PART, text, end);
  if (named) return at(named, 'assignment');
  const element = /[<:>]/.test(text[start - 1] ?? '') ? matchAt(ELEMENT, text, end) : null;
  if (element) return at(element, 'element');
  const tuple = /["'{(:]/.test(text[start - 1] ?? '') ? matchAt(TUPLE, text, end) : null;
  const call = matchAt(CALL, text, end);
  if (call) return at(call, 'tuple');
  const isOption = name.startsWith('-');
  if (tuple && !isOption)
    return at(tuple, /^[A-Z][A-Z0-9_]{3,}$/.test(name) || tuple[0].includes('.') ? 'assignment' : 'tuple');
  const argument = isOption ? matchAt(NEXT_ARGUMENT, text, end) : null;
  if (argument) return at(argument, 'assignment');
  const cell = matchAt(CELL, text, end);
  if (cell) return at(cell, 'cell');
  const blanks = matchAt(BLANKS, text, end);
  if (!blanks) return undefined;
  const next = text[end + blanks[0].length] ?? '';
  const isQuotedPassword = /["']/.test(next) && /(?:pass\w{0,10}|pwd|psk)$/i.test(name) && !/-/.test(name);
  return (isOption && next !== '-') || isQuotedPassword ? at(blanks, 'assignment') : at(blanks, 'blank');
}

function verdictOn(text: string, { name, nameSpan }: Found): NameVerdict | undefined {
  const before = text[nameSpan.start - 1];
  if (before === '?' || before === '&' || isEncodedQuery(text, nameSpan.start))
    return judgeQueryName(name.replace(/^(?:amp;|u0026)/, ''));
  if ((before === ':' || before === '/') && isInsideIdentifier(text, nameSpan.start)) return undefined;
  // `api key: …`: the word before belongs to the name.
  if (before !== ' ' || !/^(?:key|phrase|codes?|token)$/i.test(name)) return judgeName(name);
  const words = /(?:service[ -])?[A-Za-z]{1,20}$/i.exec(
    text.slice(Math.max(0, nameSpan.start - 29), nameSpan.start - 1),
  );
  // What follows a service account's key in a message is its id; the key itself is a PEM block.
  if (/^service.account$/i.test(words?.[0] ?? '')) return undefined;
  const verdict = judgeName(`${words?.[0] ?? ''} ${name}`);
  return verdict?.strength === 'weak' && !/^token$/i.test(name) ? undefined : verdict;
}

/** `\u0026token=`, `&amp;token=`, `%26token%3D`. */
function isEncodedQuery(text: string, start: number): boolean {
  return /(?:\\u0026|&amp;|%26|%3F)$/i.test(text.slice(Math.max(0, start - 6), start));
}

/** A segment of a name that colons or slashes join: `arn:aws:…:secret:x`, `checksum/secret`. */
function isInsideIdentifier(text: string, start: number): boolean {
  const run = /[^\s"'<>=,]{0,160}$/.exec(text.slice(Math.max(0, start - 160), start))?.[0] ?? '';
  return /^(?:arn|urn|crn|spiffe|secrets?|vault):/.test(run) || /(?:checksum|sha\d{0,3}|hash|digest)\/$/i.test(run);
}

function valueAt(text: string, found: Found, verdict: NameVerdict): (Span & { readonly bare: boolean }) | undefined {
  const start = found.valueStart;
  if (found.separator === 'element') {
    const inside = matchAt(ELEMENT_TEXT, text, start)?.[0].trimEnd();
    return inside ? { start, end: start + inside.length, bare: true } : undefined;
  }
  const quote = matchAt(OPENING_QUOTE, text, start);
  if (quote) {
    const inside = start + quote[0].length;
    const opening = quote[1] ?? '"';
    if (closesOuter(text, inside, opening, found.nameQuote)) return undefined;
    const end = endOfQuoted(text, inside, opening);
    // `"… --token", "next": …`: what follows is the next name, not the value.
    return KEY_END.test(text.slice(end, end + 12)) ? undefined : { start: inside, end, bare: false };
  }
  // A list or an object under a quoted name: what it holds is looked at by itself.
  if (found.nameQuote && /[[{]/.test(text[start] ?? '')) return undefined;
  const value = bareValue(bareRun(text, start, found, verdict), found, text[found.nameSpan.start - 1]);
  return value ? { start, end: start + value.length, bare: true } : undefined;
}

function endOfQuoted(text: string, inside: number, opening: string): number {
  if (/^\\{0,7}["'`]$/.test(opening)) return closingQuote(text, inside, opening);
  const end = text.slice(inside, inside + 8192).search(/[\n\r]|\\{1,7}u002|&(?:quot|apos|#)|%2[27]|"/);
  return end < 0 ? Math.min(text.length, inside + 8192) : inside + end;
}

/** True when the quote after the separator ends a string around the name instead of opening a value: `["password="]`. */
function closesOuter(text: string, inside: number, quote: string, nameQuote: string): boolean {
  const isEscape = !/["'`]$/.test(quote);
  if (isEscape) return false;
  if (/["'`]$/.test(nameQuote) && quote.length < nameQuote.length) return true;
  return quote !== nameQuote && /[\s,}\]:]/.test(text[inside] ?? ' ');
}

/** Further values of the same name: of a list, or after the arrow of a difference (`"old" -> "new"`). */
function nextValue(
  text: string,
  found: Found,
  value: Span,
  verdict: NameVerdict,
): (Span & { readonly bare: boolean }) | undefined {
  const between =
    matchAt(CHANGED_TO, text, value.end) ?? (found.isList ? matchAt(NEXT_OF_LIST, text, value.end) : null);
  if (!between) return undefined;
  const start = value.end + between[0].length;
  const quote = between[1] ?? between[2];
  const end = quote
    ? closingQuote(text, start, quote)
    : start + (matchAt(BARE_VALUE_START, text, start)?.[0].length ?? 0);
  return end > start && !isHarmlessValue(text.slice(start, end), verdict.type)
    ? { start, end, bare: false }
    : undefined;
}
const CHANGED_TO = /\\{0,7}["'][ \t]{1,4}->[ \t]{1,4}(\\{0,7}["'])/y;
const NEXT_OF_LIST =
  /\\{0,7}["'][ \t]{0,4},[ \t\n]{0,40}(\\{0,7}["'])|(?:\\{0,7}["'])?(?:\r?\n|\\n)[ \t]{0,40}-[ \t]{1,4}(\\{0,7}["'])?(?![\w-]{1,60}:)/y;

const KEY_END = /^\\{0,7}["'`](?::(?!=)|[ \t]{1,3}:[ \t])/;

/** Long runs are read whole only when their start may be a secret: else harmless values inside each other would be read over and over. */
function bareRun(text: string, start: number, found: Found, verdict: NameVerdict): string {
  const words =
    found.separator === 'assignment' && /phrase|mnemonic|seed/i.test(found.name)
      ? matchAt(REST_OF_LINE, text, start)
      : null;
  if (words) return words[0];
  const head = matchAt(BARE_VALUE_START, text, start)?.[0] ?? '';
  if (head.length < 256 || verdict.strength === 'code' || isHarmlessValue(head, 'token')) return head;
  return matchAt(BARE_VALUE, text, start)?.[0] ?? '';
}

function bareValue(run: string, found: Found, before: string | undefined): string {
  let value = run;
  if (before === '?' || before === '&') value = cutAt(value, /[&#]/);
  else if (found.nameQuote) value = cutAt(value, /[,}\]]|&quot;|&#3[49];/);
  else value = cutAt(value, NEXT_ASSIGNMENT);
  const opened = /[([{]/.test(value);
  return value.replace(opened ? /[,;]{1,4}$/ : /[,;)\]}]{1,4}$/, '');
}

function isSecret(text: string, found: Found, verdict: NameVerdict, span: Span & { readonly bare: boolean }): boolean {
  const value = text.slice(span.start, span.end);
  if (isHarmlessValue(value, verdict.type) || (span.bare && isNameAlone(value))) return false;
  if (verdict.type === 'pin') return /^\d{4,8}$/.test(value);
  if (verdict.strength === 'code') return isCode(value);
  if (found.separator === 'tuple' || found.separator === 'cell')
    return looksChosen(value) || (looksRandom(value) && !isObjectName(value));
  if (found.separator === 'blank') return verdict.strength === 'strong' && isLooseSecret(text, found, span, value);
  if (verdict.type === 'passphrase') return looksChosen(value) || looksRandom(value);
  if (verdict.strength === 'weak') return looksRandom(value);
  return !isProse(text, found, span, value);
}

/** Words after the name: `password: incorrect for user bob` is prose, `password: hunter` at the end of its line is YAML. */
function isProse(text: string, found: Found, span: Span & { readonly bare: boolean }, value: string): boolean {
  if (!span.bare || text[found.valueStart - 1] !== ' ') return false;
  // `signing key: old=rsa-1 new=rsa-2`: a list of what has names of its own.
  if (/^[a-z_]{2,20}=/.test(value) && !looksRandom(value.slice(value.indexOf('=') + 1))) return true;
  // `password= user=x`: nothing was assigned, the next name follows.
  if (text[found.nameSpan.end] === '=' && /^[A-Za-z][\w.-]{0,40}=/.test(value)) return true;
  return /^\p{L}?\p{Ll}{1,19}$/u.test(value) && /^[ \t]{1,4}\p{L}/u.test(text.slice(span.end, span.end + 6));
}

/** Only a blank stands between name and value: settings files, commands of servers, and sentences. */
function isLooseSecret(text: string, found: Found, span: Span, value: string): boolean {
  if (looksLikeLooseSecret(value)) return true;
  if (!looksChosen(value)) return false;
  const isSetting = /[_A-Z]|^(?:requirepass|masterauth|bindpw|rootpw|rolpassword)$|-password$/.test(found.name);
  const isLast = /^(?:[ \t]{0,4}(?:$|\r?\n|\\n|["';]))/.test(text.slice(span.end, span.end + 6));
  return isSetting || (isLast && /pass|pwd|pw$|psk$/i.test(found.name));
}

/** PINs and one-time codes: four to ten digits, or short groups with digits in them. */
function isCode(value: string): boolean {
  return (
    /^\d{4,10}$|^\d{3,5}[- ]\d{3,5}$/.test(value) ||
    (/\d/.test(value) && /[A-Za-z]/.test(value) && /^[\w-]{6,80}$/.test(value) && !/^\d{1,4}[a-z]{1,3}$/.test(value))
  );
}

function cutAt(value: string, pattern: RegExp): string {
  const cut = value.search(pattern);
  return cut < 0 ? value : value.slice(0, cut);
}

function matchAt(sticky: RegExp, text: string, index: number): RegExpExecArray | null {
  sticky.lastIndex = index;
  return sticky.exec(text);
}

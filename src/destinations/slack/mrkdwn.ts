import { clip, graphemeBorder, oneLine } from '../../policy/untrusted.ts';
import { labelOf, webLink } from '../web-link.ts';
import { betweenBlanks, type SpanMarkup } from '../write-outline.ts';

const LONGEST_LINK = 1500;

/**
 * Slack's markup has no backslash: a character that would act in data gives way to one that looks like it and does not. Code style keeps
 * the true ones. Opening marks are enough, for without them nothing is closed.
 */
const LOOK_ALIKES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/`/g, "'"],
  [/(?<![\p{L}\p{N}])\*(?=\S)/gu, '∗'],
  [/(?<![\p{L}\p{N}])_(?=\S)/gu, 'ˍ'],
  [/(?<![\p{L}\p{N}])~(?=\S)/gu, '∼'],
  // `:name:` at the edge of a word: neither a time (`09:58:00`) nor a recording rule (`job:errors:rate5m`).
  [/(?<![\p{L}\p{N}]):(?=[a-z0-9_+'-]{1,100}:)|:(?=[a-z0-9_+'-]{1,100}:(?![\p{L}\p{N}]))/gu, '꞉'],
  [/@(?=here\b|channel\b|everyone\b|group\b)/gi, '＠'],
];

/** Takes the power from data: no emphasis, code, emoji or mention comes out of it, and `&`, `<`, `>` are escaped, once. */
export function escape(text: string): string {
  return escapeMarkup(LOOK_ALIKES.reduce((quiet, [pattern, replacement]) => quiet.replace(pattern, replacement), text));
}

/** The three characters of which Slack makes links, mentions and entities. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Data on one line, escaped, at most `max` characters after escaping; cut at a grapheme border and marked with `…`. */
export function data(text: string, max: number): string {
  return within(oneLine(text), max, escape);
}

/** Data for a `plain_text` object, in which nothing but the three characters could act. */
export function plain(text: string, max: number): string {
  return within(oneLine(text), max, escapeMarkup);
}

/** True when `data(text, max)` would not show all of the text. */
export function isCut(text: string, max: number): boolean {
  return escape(oneLine(text)).length > max;
}

/** Data in code style, its characters as they are. Backticks inside would end the style. Empty for empty data. */
export function code(text: string, max: number): string {
  const inside = within(oneLine(text).replaceAll('`', "'"), Math.max(1, max - 2), escapeMarkup);
  return inside === '' ? '' : `\`${inside}\``;
}

/** True when `code(text, max)` would not show all of the text. */
export function isCodeCut(text: string, max: number): boolean {
  return escapeMarkup(oneLine(text)).length > max - 2;
}

/** A link of ours, with the host that it goes to. Undefined when the address is not one that a browser may open, or too long. */
export function link(address: string | null | undefined, label: string): string | undefined {
  const href = webLink(address);
  if (href === undefined) return undefined;
  const target = escapeMarkup(href).replaceAll('|', '%7C');
  return target.length > LONGEST_LINK ? undefined : `<${target}|${labelOf(label, href)}>`;
}

/** The spans of an outline, each at most `max` characters of data. A link that Slack would not take is left out. */
export function spansWithin(max: number): SpanMarkup {
  return {
    plain: (text) => betweenBlanks(text, (inside) => data(inside, max)),
    strong: (text) => betweenBlanks(text, (inside) => `*${data(inside, max)}*`),
    code: (text) => code(text, max),
    link: (text, href) => link(href, text) ?? '',
  };
}

/** The whole text on one line, in pieces of at most `max` characters after escaping, cut between words where there are any, else at grapheme borders. */
export function pieces(text: string, max: number): readonly string[] {
  const found: string[] = [];
  let rest = oneLine(text);
  while (rest !== '') {
    let end = graphemeBorder(rest, max);
    while (escape(rest.slice(0, end)).length > max) end = graphemeBorder(rest, Math.floor(end * 0.8));
    const blank = end < rest.length ? rest.lastIndexOf(' ', end) : -1;
    if (blank > end / 2) end = blank;
    found.push(escape(rest.slice(0, Math.max(end, 1))));
    rest = rest.slice(Math.max(end, 1)).trimStart();
  }
  return found;
}

function within(text: string, max: number, escaping: (text: string) => string): string {
  let room = max;
  let escaped = escaping(clip(text, room));
  // Escaping grows a text up to fivefold; a few rounds come close to the limit from below.
  while (escaped.length > max) {
    room = Math.min(room - 1, Math.floor((room * max) / escaped.length));
    escaped = escaping(clip(text, room));
  }
  return escaped;
}

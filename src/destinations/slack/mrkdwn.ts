import { clip, graphemeBorder, oneLine, sanitize } from '../../policy/untrusted.ts';
import { webLink } from '../web-link.ts';

const LONGEST_LINK = 1500;

/**
 * Slack's markup knows three active characters and no backslash escapes: `&`, `<`, `>` are escaped, in data only and once. After that
 * data can neither link nor ping. Runs of backticks are broken so that they cannot open or close code of ours.
 */
export function escape(text: string): string {
  return text
    .replace(/`{3,}/g, (run) => "'".repeat(run.length))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Data on one line, escaped, at most `max` characters after escaping; cut at a grapheme border and marked with `…`. */
export function data(text: string, max: number): string {
  return escapeWithin(oneLine(text), max);
}

/** True when `data(text, max)` would not show all of the text. */
export function isCut(text: string, max: number): boolean {
  return escape(oneLine(text)).length > max;
}

/** Data in code style. Backticks inside would end the style. */
export function code(text: string, max: number): string {
  const inside = escapeWithin(oneLine(text).replaceAll('`', "'"), Math.max(1, max - 2));
  return inside === '' ? '' : `\`${inside}\``;
}

/** A link of ours; undefined when the address is not one that a browser may open, or too long to show. */
export function link(address: string | null | undefined, label: string): string | undefined {
  const href = webLink(address);
  if (href === undefined) return undefined;
  const target = escape(href).replaceAll('|', '%7C');
  return target.length > LONGEST_LINK ? undefined : `<${target}|${data(label, 100).replaceAll('|', '/')}>`;
}

/** The whole text in pieces of at most `max` characters after escaping, cut at line ends where there are any, else at graphemes. */
export function pieces(text: string, max: number): readonly string[] {
  const found: string[] = [];
  let rest = sanitize(text).trim();
  while (rest !== '') {
    let end = graphemeBorder(rest, max);
    while (escape(rest.slice(0, end)).length > max) end = graphemeBorder(rest, Math.floor(end * 0.8));
    const lineEnd = end < rest.length ? rest.lastIndexOf('\n', end) : -1;
    if (lineEnd > end / 2) end = lineEnd;
    found.push(escape(rest.slice(0, Math.max(end, 1))));
    rest = rest.slice(Math.max(end, 1)).trimStart();
  }
  return found;
}

function escapeWithin(text: string, max: number): string {
  let room = max;
  let escaped = escape(clip(text, room));
  // Escaping grows a text up to fivefold; a few rounds come close to the limit from below.
  while (escaped.length > max) {
    room = Math.min(room - 1, Math.floor((room * max) / escaped.length));
    escaped = escape(clip(text, room));
  }
  return escaped;
}

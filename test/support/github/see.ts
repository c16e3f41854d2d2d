import type { Seen } from '../stand-in/words.ts';

/** Stands for a code span, and for a sign after a backslash, while the text around them is looked at. */
const SPAN = '\ue000';
const SIGN = '\ue001';

/**
 * A body as a person sees it: enough of CommonMark for what is written here (code spans, links, emphasis, backslashes, comments), and GitHub's own
 * look for mentions and references, which it makes in the text that results, outside of code.
 */
export function seeMarkdown(body: string): Seen {
  const { text: withoutCode, spans } = holdLiterals(body);
  const links: string[] = [];
  const acts = [
    ...(withoutCode.match(/<\/?[a-z][^>]*>/gi) ?? []).filter((tag) => !tag.startsWith('<http')),
    ...(withoutCode.match(/!\[/g) ?? []),
    ...(withoutCode.match(/^\s*[-*+] \[[ x]\]/gim) ?? []),
  ];
  const plain = withoutCode
    .replace(/\[([^\]]*)\]\(<([^>]*)>\)/g, (_, text: string, href: string) => {
      links.push(href);
      return text;
    })
    .replace(/\[[^\]]*\]\([^)]*\)/g, (link) => {
      acts.push(link);
      return link;
    })
    .replace(/\*\*(.+?)\*\*/g, '$1')
    .replace(/\b_(.+?)_\b/g, '$1')
    .replace(/^#{1,6} /gm, '')
    .replace(new RegExp(`${SIGN}(\\d+);`, 'g'), (_, sign: string) => String.fromCharCode(Number(sign)));
  acts.push(
    ...(plain.match(/(?<![\w`])@[a-z\d][\w/-]*/gi) ?? []),
    ...(plain.match(/(?:^|[\s([{:])(?:[\w.-]+\/[\w.-]+)?#\d+|\bGH-\d+/gi) ?? []),
    ...(plain.match(/[\w.-]+\/[\w.-]+@[0-9a-f]{7,}/gi) ?? []),
    ...(plain.match(/https?:\/\/\S+|\bwww\.\S+|[\w.+-]+@[\w-]+\.\w+/gi) ?? []),
  );
  // Bots read a comment as it was written: `/close` at the beginning of a line is a command to them.
  acts.push(...(body.match(/^[ \t]*\/[a-z][\w-]*/gim) ?? []));
  let next = 0;
  return { text: plain.replaceAll(SPAN, () => spans[next++] ?? ''), links, acts };
}

/** Code spans, comments and escaped signs taken out, from left to right as CommonMark reads them. */
function holdLiterals(body: string): { readonly text: string; readonly spans: readonly string[] } {
  const spans: string[] = [];
  const literal = /\\([!-/:-@[-`{-~])|<!--[\s\S]*?-->|(`+)/g;
  let text = '';
  let at = 0;
  for (let found = literal.exec(body); found !== null; found = literal.exec(body)) {
    const [whole, sign, run] = found;
    text += body.slice(at, found.index);
    at = literal.lastIndex;
    if (sign !== undefined) text += `${SIGN}${sign.charCodeAt(0)};`;
    if (run === undefined) continue;
    const end = new RegExp(`(?<!\`)\`{${run.length}}(?!\`)`, 'g');
    end.lastIndex = at;
    const closing = end.exec(body);
    if (closing === null) {
      text += whole;
      continue;
    }
    const inside = body.slice(at, closing.index);
    spans.push(/^ .*\S.* $/.test(inside) ? inside.slice(1, -1) : inside);
    text += SPAN;
    at = literal.lastIndex = end.lastIndex;
  }
  return { text: text + body.slice(at), spans };
}

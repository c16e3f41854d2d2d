import { labelOf } from '../web-link.ts';
import { betweenBlanks, type Markup } from '../write-outline.ts';

/** Words that GitHub acts on or that look like more than a word: mentions, references, addresses, commit hashes, `:names:`. */
const ACTIVE = /[@#]|\bgh-\d|:\/\/|\bwww\.|\w\.\w+\/|:[a-z+-][\w+-]*:|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b/i;
const MARKUP = /[\\`*_[\]<>&~|$!]/g;
/** What makes a list, a rule or a heading of a line that begins with it, or a command (`/close`) to the bots that read along. */
const LINE_BEGINNING = /^(\s*)(?:([-+=/])|(\d+)([.)]))/;

/**
 * Data as GitHub's Markdown. A backslash takes the power from markup, but GitHub looks for mentions and references in the text that a reader
 * sees, so whatever could be one stands in a code span, where nothing is looked for.
 */
export function escapeMarkdown(text: string): string {
  return text
    .split(/(\s+)/)
    .map((word) => (ACTIVE.test(word) ? codeSpan(word) : word.replace(MARKUP, '\\$&')))
    .join('')
    .replace(LINE_BEGINNING, (_, blank: string, sign: string | undefined, digits = '', end = '') =>
      sign === undefined ? `${blank}${digits}\\${end}` : `${blank}\\${sign}`,
    );
}

/** CommonMark: closed by a run of as many backticks as opened it, so one more than any inside. */
export function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** In angle brackets a link's target ends at `>` only, which the URL standard has encoded. */
const linkTo = (text: string, href: string): string =>
  `[${escapeMarkdown(labelOf(text, href))}](<${href.replaceAll('\\', '%5C')}>)`;

export const markdown: Markup = {
  plain: escapeMarkdown,
  strong: (text) => betweenBlanks(text, (inside) => `**${escapeMarkdown(inside)}**`),
  code: codeSpan,
  link: linkTo,
  headline: (text) => `### ${escapeMarkdown(text)}`,
  title: (text) => `**${escapeMarkdown(text)}**\n`,
  bullet: '- ',
  number: (place) => `${place}. `,
  below: '   - ',
  quiet: (text) => `_${text}_`,
};

import { labelOf } from '../web-link.ts';
import { betweenBlanks, type Markup } from '../write-outline.ts';

/** Everything that Jira's wiki markup gives a meaning, within a line or at its beginning. */
const ACTIVE = /[\\{}[\]!|*_\-+^~?#:@()&<>%"]/g;
/** `h1.`, `bq.` and the like make a heading or a quotation of a line. */
const BLOCK_WORD = /^(\s*(?:h[1-6]|bq))\./i;

/**
 * Data as Jira wiki text (Data Center): active signs as character entities, which the renderer shows and never interprets. Macros, mentions
 * (`[~name]`), links, images, issue keys and tables of data stay words.
 */
export function escapeWiki(text: string): string {
  return text.replace(ACTIVE, (sign) => `&#${sign.charCodeAt(0)};`).replace(BLOCK_WORD, '$1&#46;');
}

/** Signs that would end a link's target are encoded; the rest of an address is as it is. */
function linkTo(text: string, href: string): string {
  const target = href.replace(/[|[\]{}\\^~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `[${escapeWiki(labelOf(text, href))}|${target}]`;
}

export const wiki: Markup = {
  plain: escapeWiki,
  strong: (text) => betweenBlanks(text, (inside) => `*${escapeWiki(inside)}*`),
  code: (text) => `{{${escapeWiki(text)}}}`,
  link: linkTo,
  headline: (text) => `h3. ${escapeWiki(text)}`,
  title: (text) => `h4. ${escapeWiki(text)}`,
  bullet: '* ',
  number: () => '# ',
  below: '#* ',
  quiet: (text) => text,
};

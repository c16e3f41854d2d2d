import type { Markup } from '../write-outline.ts';

/**
 * Notes are plain text, but their readers' browsers make links of addresses. Ours are links; addresses in data are told, not linked
 * (`http[:]//…`, as security reports write them).
 */
export function unlinked(text: string): string {
  return text.replaceAll('://', '[:]//').replace(/\bwww\./gi, (found) => `${found.slice(0, 3)}[.]`);
}

export const plainText: Markup = {
  plain: unlinked,
  strong: unlinked,
  code: unlinked,
  link: (text, href) => `${text}: ${href}`,
  headline: unlinked,
  title: (text) => `${text}:`,
  bullet: '- ',
  number: (place) => `${place}. `,
  below: '   ',
  quiet: (text) => text,
};

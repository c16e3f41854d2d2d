import type { Seen } from '../stand-in/words.ts';

/** Wiki text as a person sees it: our headings, lists, bold, monospace and links taken away, entities shown. */
export function seeWiki(text: string): Seen {
  const links: string[] = [];
  const plain = text
    .replace(/\[([^|\]\n]+)\|([^\]|\s]+)\]/g, (_, label: string, href: string) => {
      links.push(href);
      return label;
    })
    .replace(/^h[1-6]\. /gm, '')
    .replace(/^(?:[*#]+) /gm, '- ')
    .replace(/\{\{(.+?)\}\}/g, '$1')
    .replace(/(?<![\w*])\*([^*\n]+?)\*(?![\w*])/g, '$1');
  const acts = [
    ...(plain.match(/\{[a-z:]+[^}]*\}|\[~?[^\]]*\]|![^!\s]+!|\\\\/gi) ?? []),
    ...(plain.match(/https?:\/\/\S+|mailto:\S+|\b[A-Z][A-Z\d]+-\d+\b/g) ?? []),
    ...(plain.match(/^(?:h[1-6]|bq)\..*|^-{4,}$|^\|.*/gm) ?? []),
  ];
  return { text: plain.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))), links, acts };
}

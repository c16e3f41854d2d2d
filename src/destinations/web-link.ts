const LONGEST_LINK = 2000;
const LONGEST_HOST = 50;

/** The address as the URL standard writes it, when it is one that a browser opens; undefined otherwise (`javascript:`, text, userinfo). */
export function webLink(text: string | null | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password) return undefined;
  return url.href.length <= LONGEST_LINK ? url.href : undefined;
}

/**
 * A label that ends in the host that the link goes to, so that no address in an alert can pass for another one; of a long host the end is shown, which
 * says whose it is. `href`: of `webLink`.
 */
export function labelOf(text: string, href: string): string {
  const { host } = new URL(href);
  const shown = host.length > LONGEST_HOST ? `…${host.slice(1 - LONGEST_HOST)}` : host;
  return text === '' ? shown : `${text} · ${shown}`;
}

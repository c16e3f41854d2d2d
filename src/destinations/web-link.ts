const LONGEST_LINK = 2000;

/** The address as the URL standard writes it, when it is one that a browser opens; undefined otherwise (`javascript:`, text, userinfo). */
export function webLink(text: string | null | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password) return undefined;
  return url.href.length <= LONGEST_LINK ? url.href : undefined;
}

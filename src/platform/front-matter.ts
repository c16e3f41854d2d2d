/** The parts of a text that begins with `---`, YAML, `---`. The YAML begins on the second line. Undefined for any other text. */
export function splitFrontMatter(text: string): { readonly yaml: string; readonly body: string } | undefined {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n?---[ \t]*(?:\r?\n|$)/.exec(text);
  return match ? { yaml: match[1] ?? '', body: text.slice(match[0].length).trim() } : undefined;
}

const ESCAPE = String.fromCharCode(27);
const SEQUENCE = new RegExp(`${ESCAPE}\\[[\\d;]*[A-Za-z]`, 'g');

/** The text without the sequences that colour it on a terminal: they hide levels and split groups. */
export function withoutColours(text: string): string {
  return text.includes(ESCAPE) ? text.replaceAll(SEQUENCE, '') : text;
}

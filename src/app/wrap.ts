/** Columns of what is printed for a terminal. */
export const WIDTH = 100;

/** Breaks at spaces; continuation lines are indented two further. A word longer than a line stays whole. */
export function wrap(text: string, indent: string, width: number): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.trim().split(/\s+/)) {
    const next = line.trim() === '' ? `${line}${word}` : `${line} ${word}`;
    if (next.length > width && line.trim() !== '') {
      lines.push(line);
      line = `${indent}  ${word}`;
    } else {
      line = next;
    }
  }
  lines.push(line);
  return lines;
}

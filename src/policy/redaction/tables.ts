import { judgeName } from './names.ts';
import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';
import { isHarmlessValue, looksChosen, looksRandom } from './values.ts';

/** A row of nothing but names, all with the same sign between them; the first cells decide quickly that most lines are none. */
const HEADING =
  /^"?[A-Za-z_][\w .-]{0,40}"?([,;\t|])"?[A-Za-z_][\w .-]{0,40}"?(?:\1"?[A-Za-z_][\w .-]{0,40}"?){0,60}(?=\r?$)/gm;
const LONGEST_ROW = 4096;

/** Masks columns of CSV and its relatives whose heading names a secret, in the rows that follow with as many cells. */
export const tablePass: RedactionPass = (text, mask) => {
  const kept: string[] = [];
  let from = 0;
  HEADING.lastIndex = 0;
  for (let heading = HEADING.exec(text); heading; heading = HEADING.exec(text)) {
    const separator = heading[1] ?? ',';
    const types = heading[0].split(separator).map((name) => columnType(name));
    if (types.every((type) => type === undefined)) continue;
    const start = text.indexOf('\n', HEADING.lastIndex) + 1;
    if (start === 0) break;
    const rows = maskRows(text, start, separator, types, mask);
    kept.push(text.slice(from, start), rows.text);
    from = rows.end;
    HEADING.lastIndex = rows.end;
  }
  return from === 0 ? text : kept.join('') + text.slice(from);
};

function columnType(name: string): string | undefined {
  const verdict = judgeName(name.replaceAll('"', '').trim());
  return verdict && verdict.strength !== 'code' ? verdict.type : undefined;
}

/** From `start` to the first line that is no row of the table. */
function maskRows(
  text: string,
  start: number,
  separator: string,
  types: readonly (string | undefined)[],
  mask: Mask,
): { readonly text: string; readonly end: number } {
  const rows: string[] = [];
  let end = start;
  while (end < text.length) {
    const lineEnd = text.indexOf('\n', end) + 1 || text.length;
    const row = text.slice(end, lineEnd);
    const cells = row.length > LONGEST_ROW ? [] : row.split(separator);
    if (cells.length !== types.length) break;
    rows.push(cells.map((cell, index) => maskCell(cell, types[index], mask)).join(separator));
    end = lineEnd;
  }
  return { text: rows.join(''), end };
}

function maskCell(cell: string, type: string | undefined, mask: Mask): string {
  const value = /^[ \t]{0,40}["']?([^"'\r\n]{4,2048}?)["']?[ \t]{0,40}\r?\n?$/.exec(cell)?.[1];
  if (type === undefined || value === undefined || isMasked(value) || isHarmlessValue(value, type)) return cell;
  return looksChosen(value) || looksRandom(value) ? cell.replace(value, () => mask(type, value)) : cell;
}

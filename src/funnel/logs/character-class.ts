/** What a character is to the scanner. Everything outside ASCII counts as a letter. */
export const SPACE = 0;
export const LETTER = 1;
export const DIGIT = 2;
/** Joins letters and digits to one word: `_ . $ @ / \ + - # * ~ %`. */
export const JOINT = 3;
export const PUNCTUATION = 4;

const ASCII = new Uint8Array(128).fill(PUNCTUATION);
for (let code = 0; code <= 32; code++) ASCII[code] = SPACE;
for (let code = 65; code <= 90; code++) ASCII[code] = ASCII[code + 32] = LETTER;
for (let code = 48; code <= 57; code++) ASCII[code] = DIGIT;
for (const joint of '_.$@/\\+-#*~%') ASCII[joint.charCodeAt(0)] = JOINT;

export function classOf(code: number): number {
  return code < 128 ? (ASCII[code] ?? PUNCTUATION) : code === 0xa0 || code === 0xe000 ? SPACE : LETTER;
}

export function isWordCharacter(code: number): boolean {
  const kind = classOf(code);
  return kind !== SPACE && kind !== PUNCTUATION;
}

/** Index of the first character at or after `from` that is no white space; `end` when there is none. */
export function skipSpace(text: string, from: number, end: number): number {
  let i = from;
  while (i < end && classOf(text.charCodeAt(i)) === SPACE) i++;
  return i;
}

/** Index of the first white space at or after `from`; `end` when there is none. */
export function endOfToken(text: string, from: number, end: number): number {
  let i = from;
  while (i < end && classOf(text.charCodeAt(i)) !== SPACE) i++;
  return i;
}

/** Stands for everything that varies: a private-use character, which is read as white space where text has it. */
export const WILDCARD = '\ue000';

/** What a character is to the scanner. Everything outside ASCII counts as a letter. */
export const SPACE = 0;
export const LETTER = 1;
export const DIGIT = 2;
/** Joins letters and digits to one word: `_ . $ @ / \ + - # * ~ %`. */
export const JOINT = 3;
export const PUNCTUATION = 4;

/** A table over all UTF-16 units: one look-up without a branch, in the hottest loop there is. */
const CLASSES = new Uint8Array(0x10000).fill(LETTER);
CLASSES.fill(PUNCTUATION, 0, 128);
CLASSES.fill(SPACE, 0, 33);
CLASSES[0xa0] = CLASSES[WILDCARD.charCodeAt(0)] = SPACE;
for (let code = 65; code <= 90; code++) CLASSES[code] = CLASSES[code + 32] = LETTER;
for (let code = 48; code <= 57; code++) CLASSES[code] = DIGIT;
for (const joint of '_.$@/\\+-#*~%') CLASSES[joint.charCodeAt(0)] = JOINT;

export function classOf(code: number): number {
  return CLASSES[code] ?? SPACE;
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

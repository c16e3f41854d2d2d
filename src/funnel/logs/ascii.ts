/** Names of the bytes that the readers of lines look for. */
export const ESCAPE_BYTE = 27;
export const BLANK = 32;
export const DOUBLE_QUOTE = 34;
export const HASH = 35;
export const PERCENT = 37;
export const APOSTROPHE = 39;
export const OPEN_ROUND = 40;
export const CLOSE_ROUND = 41;
export const PLUS = 43;
export const COMMA = 44;
export const DASH = 45;
export const DOT = 46;
export const SLASH = 47;
export const ZERO = 48;
export const COLON = 58;
export const LESS = 60;
export const EQUALS = 61;
export const GREATER = 62;
export const AT = 64;
export const OPEN_SQUARE = 91;
export const BACKSLASH = 92;
export const CLOSE_SQUARE = 93;
export const BACKTICK = 96;
export const OPEN_CURLY = 123;
export const BAR = 124;
export const CLOSE_CURLY = 125;

/** The bit that tells `a` from `A`. */
export const LOWER_CASE = 32;

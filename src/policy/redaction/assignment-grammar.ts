/** How names are joined to values, and where values end: what stands between and around them in settings, code, markup, tables and commands. */

/** A quote as plain text, JSON at any depth, JavaScript (`\u0022`) and HTML write it. */
const QUOTE = '\\\\{0,7}["\'`]|\\\\{1,7}u002[27]|&(?:quot|apos|#34|#39|#x22|#x27);|%2[27]';
/**
 * `:`, `=`, `=>`, `:=`, `->`, `::` after the name's own closing quote; a comparison (`==`) assigns nothing. A type (`: string =`), a YAML block
 * sign, anchor or tag may follow, or a list, or an object that only wraps the value.
 */
export const SEPARATOR = new RegExp(
  `(${QUOTE})?(?:\\x1b\\[[\\d;]{0,10}m)?\\]?(?:[ \\t]{1,4}(?:As[ \\t]{1,4})?(?:\\*|\\[\\])?(?:[Ss]tring|str|byte|text))?[ \\t]{0,40}(?::=|=>|->|<-(?![->])|→|=(?!=)|::?(?![:/])|：|＝|%3[AaDd])[ \\t]{0,8}` +
    `(?:(?:Optional<)?[Ss]tr(?:ing)?>?\\??[ \\t]{0,4}=[ \\t]{0,4})?` +
    `(?:[|>][+-]?[ \\t]{0,4}(?:\\r?\\n|\\\\n)[ \\t]{1,40}|(?:&[\\w-]{1,40}|!{1,2}(?!vault)\\w{1,20})[ \\t]{1,4}` +
    `|(?:\\r?\\n|\\\\n)[ \\t]{0,40}-[ \\t]{1,4}|(?:\\*{1,2}|</\\w{1,8}>)[ \\t]{1,4}|\\[[ \\t]{0,4}(?=\\\\{0,7}["'])|\\{[ \\t]{0,4}\\\\{0,7}["'](?:value|[Ss]|string|plain(?:text|Text)?|secret|secureString|literal|text|raw|val|current)\\\\{0,7}["'][ \\t]{0,4}:[ \\t]{0,4}|(?:\\r?\\n|\\\\n)[ \\t]{0,20}string\\(\\d{1,5}\\)[ \\t]{1,4})?`,
  'y',
);
/** `{"name": "DB_PASSWORD", "value": …}`, the same in YAML, `"db_password" { default = … }` in HCL. */
export const NAMED_VALUE =
  /\\{0,7}["']?(?:(?:[ \t]{0,8},)?(?:\s|\\n){0,40}\\{0,7}["']?value\\{0,7}["']?[ \t]{0,8}[:=]|\s{0,8}\{[^{}]{0,200}?\bdefault[ \t]{0,8}=)[ \t]{0,8}/iy;
/** `define('DB_PASSWORD', '…')`, `{password, "…"}`, `("password", "…")`: a quoted value after a comma. */
export const TUPLE = /(?:\\{0,7}["'])?(?:[ \t]{0,4},[ \t]{0,4}|[ \t]{1,4}(?:\.[ \t]{1,2})?)(?:<<)?(?=\\{0,7}["'])/y;
/** `setPassword("…")`, `.password("…")`. */
export const CALL = /\((?=\\{0,7}["'])/y;
/** `| password | … |`: a table. */
export const CELL = /[ \t]{0,40}[|│][ \t]{0,40}(?=[^\s|│])/y;
/** A form's part: `name="password"`, an empty line, the value. */
export const FORM_PART = /\\{0,3}"(?:\r\n\r\n|\n\n|\\r\\n\\r\\n)/y;
/** The end of an opening tag, or `</key><string>` after a name that is itself an element's text. */
export const ELEMENT =
  /(?:(?:\s[^<>]{0,200})?>|<\/\w{1,20}>(?:\s|\\n){0,40}<\w{1,20}>)(?:\s{0,20}<[Vv]alue>)?(?:<!\[CDATA\[)?(?!<)/y;
export const ELEMENT_TEXT = /[^<]{1,8192}(?=<\\?\/|\]\]>)/y;
export const BLANKS = /[ \t]{1,40}(?:(?:is|was)[ \t]{1,4})?(?:[57][ \t]{1,2}(?=[\dA-F$]))?/y;
/** An option in a list of arguments: `--password`, `…` in YAML or JSON. */
export const NEXT_ARGUMENT = /(?:\r?\n|\\n)[ \t]{0,40}-[ \t]{1,4}|\\{0,7}["'],[ \t\n]{0,8}(?=\\{0,7}["'])/y;
/** The prefix letters of string literals, and constructors that only wrap a text: `Some("…")`. */
export const OPENING_QUOTE = new RegExp(
  `(?:[bruLN@](?=["'])|(?:Some|Just|Optional\\.of|String::from|S(?:ecret|ensitive|ecure)\\w{0,12}|String|PASSWORD|[Pp]assword|to_sensitive|sensitive)\\((?=\\\\{0,7}["'])|<<(?="))?(${QUOTE})`,
  'y',
);
/** Up to white space, an escape, or a quote that closes what is around the assignment. */
const BARE_CHARACTERS = `(?:[^\\s"'\`\\\\\\0]|["'\`](?![\\s,;:}\\])&|\\\\]|$)|\\\\(?![nrtbf"'\\\\u]))`;
export const BARE_VALUE = new RegExp(`${BARE_CHARACTERS}+`, 'y');
export const BARE_VALUE_START = new RegExp(`${BARE_CHARACTERS}{1,256}`, 'y');
/** Where the next assignment of a list begins: `a=1&b=2`, `a=1;b=2`, `a=1,b=2`; also escaped for HTML and JSON. */
export const NEXT_ASSIGNMENT = /%26|&amp;|&quot;|&#3[49];|[&;,](?=["']?[A-Za-z][\w .-]{0,40}["']?[=:])/;
/** Passphrases of several words, unquoted: up to the end of the line. */
export const REST_OF_LINE =
  /(?:[^\s"'\\#:=[\]]{1,40}[ \t]){2,23}[^\s"'\\#:=[\]]{1,40}(?=[ \t]{0,8}(?:\r?\n|\\n|$|\\{0,7}"))/y;

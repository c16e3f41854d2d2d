/**
 * Text that others wrote (alerts, logs, objects, tool output, model output) on its way to a model, a post or a terminal. It is data: it
 * may not steer a terminal, hide characters from the reader, or pretend to be the end of its own quotation.
 */

/** CSI, OSC/DCS/SOS/PM/APC strings and two-byte escapes (ECMA-48). An unfinished string loses its introducer only. */
const ANSI =
  // eslint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]PX^_][^\u0007\u001b]{0,4000}(?:\u0007|\u001b\\)|[ -/]{0,2}[0-~])/g;
/** Line ends other than \n. A lone \r would let a terminal overwrite what came before it. */
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
/** Control, format (zero-width, bidi, tags) and default-ignorable characters (fillers, variation selectors). */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** With the `u` flag a surrogate matches only when its other half is missing. */
const LONE_SURROGATE = /[\ud800-\udfff]/gu;
/** A grapheme longer than this is an attack on the display (stacked marks), not a character to be kept whole. */
const LONGEST_GRAPHEME = 64;

/** Whatever one of them may change. */
const HIDDEN = new RegExp(`\\r|[\\p{Zl}\\p{Zp}]|${INVISIBLE.source}|${LONE_SURROGATE.source}`, 'u');
/** Not one of the scripts and signs that most texts are made of, in which nothing hides. */
const IS_ODD = /[^\n\t\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0560\u2010-\u2027]/;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Removes what a reader cannot see: terminal escapes, control characters except `\n` and `\t`, zero-width and bidi characters.
 * Lone surrogates become U+FFFD. Visible text, its normalisation included, stays as it was. Idempotent.
 */
export function sanitize(text: string): string {
  return text.replace(ANSI, '').replace(LINE_ENDS, '\n').replace(INVISIBLE, '').replace(LONE_SURROGATE, '\ufffd');
}

/** True when `sanitize` changes the text. Most texts are told by one look. */
export function hidesAnything(text: string): boolean {
  return IS_ODD.test(text) && HIDDEN.test(text);
}

/** `sanitize`, with every run of white space as one blank, trimmed. */
export function oneLine(text: string): string {
  return sanitize(text).replace(/\s+/g, ' ').trim();
}

/**
 * At most `maxUtf16Units` UTF-16 units of `text`, cut at a grapheme border and ended by `…` when cut. Always well-formed.
 * Redact before clipping: half a secret matches no rule.
 */
export function clip(text: string, maxUtf16Units: number): string {
  if (text.length <= maxUtf16Units) return text.replace(LONE_SURROGATE, '\ufffd');
  if (maxUtf16Units < 1) return '';
  const room = maxUtf16Units - 1;
  const kept = text.slice(0, graphemeBorder(text, room)).replace(LONE_SURROGATE, '\ufffd');
  return `${kept.trimEnd()}…`;
}

/** The last grapheme border at or before `index`; the last code-point border when the grapheme there is absurdly long. */
export function graphemeBorder(text: string, index: number): number {
  if (index >= text.length) return text.length;
  const around = text.slice(0, index + LONGEST_GRAPHEME);
  const start = graphemes.segment(around).containing(index)?.index ?? 0;
  if (index - start <= LONGEST_GRAPHEME) return start;
  const splitsPair = /^[\udc00-\udfff]/.test(text.slice(index, index + 1));
  return splitsPair ? index - 1 : index;
}

/**
 * `text`, sanitised, between `<untrusted-NONCE source="label">` and `</untrusted-NONCE>`. The nonce is random per investigation and
 * never shown to a source, so text inside cannot close the fence; anything that looks like a tag of ours or holds the nonce is defused
 * all the same. The caller redacts first.
 */
export function fence(label: string, text: string, nonce: string): string {
  const source = oneLine(label).replace(/[^\w .:/-]/g, '_');
  const inside = sanitize(text)
    .replace(/<(?=\s{0,20}\/?\s{0,20}untrusted)/gi, '‹')
    .replaceAll(nonce, '[nonce]');
  return `<untrusted-${nonce} source="${source}">\n${inside}\n</untrusted-${nonce}>`;
}

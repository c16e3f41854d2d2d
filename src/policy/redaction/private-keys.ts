import type { RedactionPass } from './placeholder.ts';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const LONGEST_LABEL = 64;
/** The end of a key whose beginning was cut off: whole lines of base64 before the END of a private key. */
const TAIL =
  /((?:(?:^|(?<=\n)|(?<=\\n))[A-Za-z0-9+/=]{16,128}(?:\r?\n|\\r\\n|\\n)){1,200})(-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)/g;
/** Lines of the width of PEM from the middle of something, and the borders of blocks, so that those of certificates are known. */
const BORDER_OR_MIDDLE =
  /-----(BEGIN|END) |(?:^|(?<=\n))([A-Za-z0-9+/]{64}(?:\r?\n[A-Za-z0-9+/]{64})+(?:\r?\n(?:[A-Za-z0-9+/]{20,63}={0,2}|[A-Za-z0-9+/]{1,19}={1,2}))?)(?=\r?\n|$)/g;
const PRIVATE_LABEL = /^[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

/**
 * Masks PEM and PGP private keys; certificates and public keys stay. A linear scan instead of a pattern: keys come with real or escaped
 * line breaks, with a log prefix on every line, and cut off. A block without an end reaches to the closing quote it is in, else to the
 * end of the text.
 */
export const privateKeyPass: RedactionPass = (text, mask) => {
  const kept: string[] = [];
  let from = 0;
  let begin = text.indexOf(BEGIN);
  let end = -1;
  while (begin >= 0) {
    if (!isPrivate(text, begin + BEGIN.length)) {
      begin = text.indexOf(BEGIN, begin + BEGIN.length);
      continue;
    }
    // The next END is looked for once, not once a block: blocks without an end would make the scan quadratic.
    if (end < begin) end = indexOrEnd(text, END, begin);
    const blockEnd = endOfBlock(text, begin, end);
    kept.push(text.slice(from, begin), mask('private-key', text.slice(begin, blockEnd)));
    from = blockEnd;
    begin = text.indexOf(BEGIN, blockEnd);
  }
  const redacted = from === 0 ? text : kept.join('') + text.slice(from);
  const withoutTails = redacted.includes(END)
    ? redacted.replace(TAIL, (all: string, body: string, end: string) =>
        /[a-z]/.test(body) ? mask('private-key', body) + end : all,
      )
    : redacted;
  return maskMiddles(withoutTails, mask);
};

/** A window on a file (`sed -n 5,10p`) shows a key without its borders. Digests in a list have no letters behind `f`, or no capitals. */
function maskMiddles(text: string, mask: Parameters<RedactionPass>[1]): string {
  let isOpen = false;
  return text.replace(BORDER_OR_MIDDLE, (all: string, border: string | undefined) => {
    if (border === undefined)
      return isOpen || !/[g-z]/.test(all) || !/[A-Z]/.test(all) ? all : mask('private-key', all);
    isOpen = border === 'BEGIN';
    return all;
  });
}

function endOfBlock(text: string, begin: number, end: number): number {
  const quote = openingQuote(text, begin);
  const closing = quote ? indexOrEnd(text, quote, begin) : text.length;
  if (end < closing && isPrivate(text, end + END.length)) {
    return text.indexOf('-----', end + END.length) + '-----'.length;
  }
  return closing < text.length && text[closing - 1] === '\\' ? closing - 1 : closing;
}

function openingQuote(text: string, begin: number): string | undefined {
  const before = text[begin - 1];
  return before === '"' || before === "'" ? before : undefined;
}

function isPrivate(text: string, at: number): boolean {
  return PRIVATE_LABEL.test(text.slice(at, at + LONGEST_LABEL));
}

function indexOrEnd(text: string, needle: string, from: number): number {
  const index = text.indexOf(needle, from);
  return index < 0 ? text.length : index;
}

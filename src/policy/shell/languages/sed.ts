import type { Given, Program } from '../grammar.ts';
import { file, many, matching, text } from '../values.ts';

/**
 * Why a sed script may do more than print, or undefined. Read as GNU sed reads it: commands `p d q = n N D P h H g G x l` and `s`, `y`, with addresses,
 * `!` and blocks. `w`, `W`, `r`, `R`, `e`, `i`, `a`, `c` and the flags `e` and `w` of `s` are not in the grammar.
 */
export function whyNotSed(script: string): string | undefined {
  let at = 0;
  let depth = 0;
  const skip = (shape: RegExp): boolean => {
    shape.lastIndex = at;
    const found = shape.exec(script);
    if (found) at += found[0].length;
    return found !== null;
  };
  while (at < script.length) {
    if (skip(/[ ;]+/y)) continue;
    if (skip(/\}/y)) {
      if (--depth < 0) return 'an unexpected }';
      continue;
    }
    const address = readAddresses(script, at);
    if (address === undefined) return 'an address that is not understood';
    at = address;
    skip(/ *(! *)?/y);
    if (skip(/\{/y)) {
      depth++;
      continue;
    }
    const command = script[at++] ?? '';
    if (command === 's' || command === 'y') {
      const end = readDelimited(script, at, 2);
      if (end === undefined) return `a command ${command} that is not understood`;
      at = end;
      if (command === 's') skip(/[gpiIm0-9]*/y);
    } else if (!/[pdq=nNDPhHgGxl]/.test(command)) {
      return `the command '${command}' is not known to only print`;
    }
    if (at < script.length && !/^ *([;}]|$)/.test(script.slice(at)))
      return `'${script.slice(at, at + 8)}' behind the command ${command}`;
  }
  return depth === 0 ? undefined : 'a { without its }';
}

/** The place behind `1`, `$`, `/re/`, `1,5`, `/a/,/b/`, `0~3`, `5,+3`; undefined when it cannot be read. */
function readAddresses(script: string, from: number): number | undefined {
  const first = readAddress(script, from);
  if (first === undefined || first === from) return first;
  const comma = /^ *, */.exec(script.slice(first));
  if (!comma) return first;
  const second = readAddress(script, first + comma[0].length);
  return second === first + comma[0].length ? undefined : second;
}

function readAddress(script: string, from: number): number | undefined {
  const plain = /^(?:\$|[+~]?\d{1,9}(?:~\d{1,9})?)/.exec(script.slice(from));
  if (plain) return from + plain[0].length;
  if (script[from] !== '/') return from;
  const end = readDelimited(script, from, 1);
  return end === undefined ? undefined : end + (/^[I]*/.exec(script.slice(end))?.[0].length ?? 0);
}

/**
 * The place behind `/…/` (one part) or `/…/…/` (two). Where a delimiter stands in brackets (`[/]`), seds differ about where the part ends: such a text
 * is not understood.
 */
function readDelimited(script: string, from: number, parts: number): number | undefined {
  const delimiter = script[from] ?? '';
  if (delimiter === '' || /[\w\\ ;{}]/.test(delimiter)) return undefined;
  let at = from + 1;
  for (let part = 0; part < parts; part++) {
    const start = at;
    while (at < script.length && script[at] !== delimiter) at += script[at] === '\\' ? 2 : 1;
    if (at >= script.length) return undefined;
    if (part === 0 && isInBrackets(script.slice(start, at))) return undefined;
    at++;
  }
  return at;
}

/** True when the regular expression ends inside `[…]`. */
export function isInBrackets(pattern: string): boolean {
  const closed = pattern.replace(/\\./g, '').replace(/\[\^?\]?[^\]]*\]/g, '');
  return closed.includes('[');
}

function scriptsOf({ options, operands }: Given): readonly string[] {
  return options.get('e') ?? operands.slice(0, 1);
}

export const sed: Program = {
  letters: 'nErsuz',
  words: 'quiet silent regexp-extended separate unbuffered null-data posix sandbox version',
  values: { 'e expression': text, 'l line-length': matching(/^\d{1,4}$/, 'a length') },
  operands: (words, note, options) => many(file)(options.has('e') ? words : words.slice(1), note, options),
  rule: (given) => {
    const scripts = scriptsOf(given);
    if (scripts.length === 0) return 'sed needs a script';
    return scripts.map(whyNotSed).find(Boolean);
  },
  // GNU sed's own refusal of e, r and w, in case it reads a script otherwise than we do.
  adds: () => ['--sandbox'],
};

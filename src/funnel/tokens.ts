import { createRequire } from 'node:module';
import type { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const require = createRequire(import.meta.url);

interface Tokenizer {
  readonly countTokens: typeof countTokens;
}
/** Loaded when the first text is counted: its tables are 70 MB, and many a process that can count never does. */
let tokenizer: Tokenizer | undefined;

/**
 * No public tokenizer counts what current Claude models count. o200k is the closest offline one that is fast; this margin is what the
 * estimate adds to it, until real responses calibrate it.
 */
export const TOKEN_MARGIN = 1.25;

/**
 * BPE merges are quadratic on a long run without a word border (100,000 characters of `abab…` take seconds). A cut adds at most one token,
 * so small pieces cost the estimate about 0.1 % and bound the time to some milliseconds a piece.
 */
const PIECE_CHARACTERS = 4000;

/** Text that spells a special token (`<|endoftext|>`) is text here. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/**
 * Estimated tokens of `text` for the hard budgets of the brief and of prompts: `ceil(1.25 × o200k tokens)`. An estimate, above the true
 * count for ordinary text, and not an upper bound for every input. Time is linear in the length.
 */
export function estimateTokens(text: string): number {
  tokenizer ??= require('gpt-tokenizer/encoding/o200k_base') as Tokenizer;
  let tokens = 0;
  for (let start = 0; start < text.length;) {
    const end = pieceEnd(text, start);
    tokens += tokenizer.countTokens(text.slice(start, end), AS_TEXT);
    start = end;
  }
  return Math.ceil(tokens * TOKEN_MARGIN);
}

/**
 * True when `estimateTokens(text)` is at most `budget`. A byte-level BPE never makes more tokens than UTF-8 bytes, so text that is
 * small enough in bytes is not tokenized at all.
 */
export function fitsBudget(text: string, budget: number): boolean {
  if (Math.ceil(Buffer.byteLength(text) * TOKEN_MARGIN) <= budget) return true;
  return estimateTokens(text) <= budget;
}

/** Never between the two halves of a surrogate pair. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return splitsPair ? end - 1 : end;
}

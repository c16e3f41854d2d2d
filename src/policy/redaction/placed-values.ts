import type { Mask } from './placeholder.ts';
import { isMasked, PLACEHOLDER_START } from './placeholder.ts';
import { isHarmlessValue, looksChosen, looksRandom } from './values.ts';

/** What a value must look like to be taken: anything a program would read there, or only what no sentence holds. */
type Certainty = 'whatever' | 'chosen' | 'random';

/** A place where a syntax puts a secret. */
export interface PlacedValue {
  /** A cheap test before the pattern runs. */
  readonly needle: RegExp;
  /** Group 1 is what stays, group 2 the secret. */
  readonly pattern: RegExp;
  readonly certainty: Certainty;
}

export function placed(needle: RegExp, pattern: RegExp, certainty: Certainty = 'whatever'): PlacedValue {
  return { needle, pattern, certainty };
}

/** Masks what stands in any of the places; each needle is looked for once. */
export function maskPlaced(text: string, places: readonly PlacedValue[], mask: Mask): string {
  let redacted = text;
  for (const { needle, pattern, certainty } of places) {
    if (!needle.test(redacted)) continue;
    redacted = redacted.replace(pattern, (all: string, head: string, match: string) => {
      // A backslash at the end belongs to the quote behind it.
      const value = match.replace(/\\{1,16}$/, '');
      return isTaken(value, certainty) ? head + mask('password', value) + match.slice(value.length) : all;
    });
  }
  return redacted;
}

export function isTaken(value: string, certainty: Certainty): boolean {
  if (value.startsWith(PLACEHOLDER_START) || isMasked(value) || isHarmlessValue(value, 'password')) return false;
  if (certainty === 'random') return looksRandom(value);
  return certainty === 'whatever' || looksChosen(value) || looksRandom(value);
}

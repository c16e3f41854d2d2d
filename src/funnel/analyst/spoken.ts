import { clip, oneLine } from '../../policy/untrusted.ts';

/** A cut word longer than this is an identifier, and half of it says more than nothing. */
const LONGEST_CUT_WORD = 30;
/** What a cut may leave at the end of a text that says nothing without what followed. */
const DANGLING = /[\s([{"'“,;:–—-]+…$/u;

/** Foreign text for a field of the report: one visible line of 1 to `max` characters, cut between words, also when nothing of it is visible. */
export function spoken(text: string, max: number): string {
  const line = oneLine(text);
  const clipped = clip(line, max);
  return (clipped === line ? line : cutAtWord(clipped)) || '(unnamed)';
}

/** A sentence ends once: a text that was cut, or that ends itself, gets no full stop. */
export function asSentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}

function cutAtWord(clipped: string): string {
  const body = clipped.slice(0, -1);
  const lastBlank = body.lastIndexOf(' ');
  const isNear = lastBlank > 0 && body.length - lastBlank <= LONGEST_CUT_WORD;
  return `${isNear ? body.slice(0, lastBlank) : body}…`.replace(DANGLING, '…');
}

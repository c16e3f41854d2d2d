/** Characters of memory in a system prompt, the note not counted. */
export const RECALL_CHARACTERS = 8000;

/**
 * What a prompt may hold of the memory (SPEC B9): the whole text redacted, then its last 8,000 characters in their order, without the line that the cut
 * goes through, below a note. Redacted first: a cut could part a key's body from the header that it is known by.
 */
export function recallText(text: string, redact: (text: string) => string): string {
  const clean = redact(text).trim();
  if (clean.length <= RECALL_CHARACTERS) return clean;
  const tail = clean.slice(-RECALL_CHARACTERS);
  const startsLine = clean[clean.length - RECALL_CHARACTERS - 1] === '\n';
  // A line longer than all the room is no fact.
  const kept = startsLine ? tail : tail.includes('\n') ? tail.slice(tail.indexOf('\n') + 1) : '';
  const left = clean.length - kept.length;
  return `[${left} characters of older facts are left out]\n${kept}`;
}

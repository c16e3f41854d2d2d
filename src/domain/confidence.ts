/** The word that goes with a confidence (0–1), the same in every place that shows one. */
export function confidenceInWords(confidence: number): 'high' | 'medium' | 'low' {
  if (confidence >= 0.75) return 'high';
  return confidence >= 0.45 ? 'medium' : 'low';
}

/** As many as a conclusion may have. */
const MOST_REASONS = 8;

/** The reasons of a conclusion with those that code adds at the end; room for these is made among the conclusion's own. */
export function withReasons(own: readonly string[], added: readonly string[]): string[] {
  const kept = added.slice(0, MOST_REASONS);
  return [...own.slice(0, MOST_REASONS - kept.length), ...kept];
}

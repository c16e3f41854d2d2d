/** The word that goes with a confidence (0–1), the same in every place that shows one. */
export function confidenceInWords(confidence: number): 'high' | 'medium' | 'low' {
  if (confidence >= 0.75) return 'high';
  return confidence >= 0.45 ? 'medium' : 'low';
}

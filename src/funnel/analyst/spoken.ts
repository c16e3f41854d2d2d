import { clip, oneLine } from '../../policy/untrusted.ts';

/** Foreign text for a field of the report: one visible line of 1 to `max` characters, also when nothing of it is visible. */
export function spoken(text: string, max: number): string {
  return clip(oneLine(text), max) || '(unnamed)';
}

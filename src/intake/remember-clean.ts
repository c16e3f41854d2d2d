import type { Redactor } from '../policy/redact.ts';
import type { Redaction } from './trim.ts';

/** Storms consist of repeats: so many texts of up to this length were looked through already and hold no secret, and as many before them. */
const MAX_TEXTS = 1000;
const MAX_LENGTH = 4000;

/**
 * `redact`, which does not look again at a text that it left as it was a short while ago. Texts with a secret are not kept, nor those that one
 * look tells to hold none.
 */
export function rememberClean({ redact, mayChange, mayChangeAny }: Omit<Redactor, 'find'>): Redaction {
  // Two generations: to take single texts out of a set costs more than to look at them again.
  let young = new Set<string>();
  let old = new Set<string>();
  const redactNew = (text: string): string => {
    if (!mayChange(text) || young.has(text)) return text;
    if (!old.has(text)) {
      const redacted = redact(text);
      if (redacted !== text || text.length > MAX_LENGTH) return redacted;
    }
    if (young.size === MAX_TEXTS) {
      old = young;
      young = new Set();
    }
    young.add(text);
    return text;
  };
  return { redact: redactNew, mayChangeAny };
}

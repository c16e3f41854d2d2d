/** Storms consist of repeats: this many texts of up to this length were looked through already and hold no secret. */
const MAX_TEXTS = 2000;
const MAX_LENGTH = 4000;

/** `redact`, which does not look again at a text that it left as it was a short while ago. Texts with a secret are not kept. */
export function rememberClean(redact: (text: string) => string): (text: string) => string {
  const clean = new Set<string>();
  return (text) => {
    if (clean.has(text)) return text;
    const redacted = redact(text);
    if (redacted !== text || text.length > MAX_LENGTH) return redacted;
    clean.add(text);
    for (const oldest of clean) {
      if (clean.size <= MAX_TEXTS) break;
      clean.delete(oldest);
    }
    return redacted;
  };
}

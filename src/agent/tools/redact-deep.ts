import { mapTexts } from '../pack-texts.ts';

/** `value`, plain JSON, with every text in it redacted, keys included. */
export function redactDeep(value: unknown, redact: (text: string) => string): unknown {
  return mapTexts(value, redact);
}

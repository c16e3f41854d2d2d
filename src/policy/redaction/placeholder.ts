/** Replaces a secret by a placeholder and remembers that it did. `value` is the secret alone, without quotes or key. */
export type Mask = (type: string, value: string) => string;

/** One rule family: returns the text with the secrets it knows masked. Linear in the length of the text. */
export type RedactionPass = (text: string, mask: Mask) => string;

export const PLACEHOLDER_START = '[REDACTED:';
export const PLACEHOLDER = /\[REDACTED:[a-z0-9-]{1,40}:[0-9a-f]{4}\]/g;

export function placeholder(type: string, hash4: string): string {
  return `${PLACEHOLDER_START}${type}:${hash4}]`;
}

/** True when the value is already masked: what is left beside placeholders is too short to be a secret. Keeps redaction idempotent. */
export function isMasked(value: string): boolean {
  return value.includes(PLACEHOLDER_START) && value.replace(PLACEHOLDER, '').length < 6;
}

/** The text as it would read with a word where something is masked. */
export function readMasked(value: string): string {
  return value.includes(PLACEHOLDER_START) ? value.replace(PLACEHOLDER, 'masked') : value;
}

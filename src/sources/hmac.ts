import { createHmac, timingSafeEqual } from 'node:crypto';

export type HmacEncoding = 'hex' | 'base64';

const DIGEST_BYTES = 32;
/** Of a SHA-256 digest. Node's own decoders skip what they do not know, and would take a mangled signature for a shorter one. */
const FORMS: Readonly<Record<HmacEncoding, RegExp>> = { hex: /^[0-9a-f]{64}$/i, base64: /^[A-Za-z0-9+/]{43}=$/ };

/**
 * True when one of the signatures is the HMAC-SHA256 of `bytes` under one of the secrets. All pairs are compared, in constant time each: which
 * one matched does not show. Never throws: what is no signature matches nothing.
 */
export function matchesHmac(
  bytes: Buffer | readonly Buffer[],
  signatures: readonly string[],
  secrets: readonly string[],
  encoding: HmacEncoding = 'hex',
): boolean {
  const offered = signatures.filter((text) => FORMS[encoding].test(text)).map((text) => Buffer.from(text, encoding));
  const parts = Buffer.isBuffer(bytes) ? [bytes] : bytes;
  let matches = 0;
  for (const secret of secrets) {
    const hmac = createHmac('sha256', secret);
    for (const part of parts) hmac.update(part);
    const expected = hmac.digest();
    for (const digest of offered) {
      if (digest.length === DIGEST_BYTES && timingSafeEqual(digest, expected)) matches += 1;
    }
  }
  return matches > 0;
}

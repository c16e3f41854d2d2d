import { isAscii } from 'node:buffer';
import { PayloadError } from './source.ts';

/** Strips a byte-order mark; bytes that are no UTF-8 become U+FFFD rather than a lost alert. */
const utf8 = new TextDecoder();

/** Throws `PayloadError`. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new PayloadError('the body is empty');
  try {
    // Most bodies are: a decoder would look at each byte once more.
    return JSON.parse(isAscii(bytes) ? bytes.toString('latin1') : utf8.decode(bytes)) as unknown;
  } catch {
    throw new PayloadError(`the body is not valid JSON (${bytes.length} bytes read)`);
  }
}

const HEX = /^[0-9a-f]+$/i;
const LONG = 32;
const HALF = 16;

/**
 * An id of bytes as lower-case hexadecimal digits: some servers write OTLP's bytes as base64 (as protobuf's JSON has it), others as hexadecimal (as
 * OTLP's own JSON has it). `bytes` tells them apart by length. Empty when it is neither, or nought.
 */
function hexOf(id: string, bytes: number): string {
  const isHex = HEX.test(id) && id.length === 2 * bytes;
  const hex = isHex ? id.toLowerCase() : Buffer.from(id, 'base64').toString('hex');
  return hex.length !== 2 * bytes || /^0*$/.test(hex) ? '' : hex;
}

export function traceIdOf(id: string): string {
  const hex = hexOf(id, HALF);
  return hex && canonicalTraceId(hex);
}

export function spanIdOf(id: string): string {
  return hexOf(id, HALF / 2);
}

/** One way to write a trace id: without the half of noughts that systems with 64-bit ids are padded with, and with those that others leave out. */
export function canonicalTraceId(hex: string): string {
  const padded = hex.toLowerCase().padStart(hex.length > HALF ? LONG : HALF, '0');
  return padded.length === LONG && padded.startsWith('0'.repeat(HALF)) ? padded.slice(HALF) : padded;
}

/** The id of a span that is written in hexadecimal, with or without the noughts at its beginning; empty when it is none, or nought. */
export function spanIdFromHex(hex: string): string {
  return HEX.test(hex) && hex.length <= HALF && !/^0*$/.test(hex) ? hex.toLowerCase().padStart(HALF, '0') : '';
}

/** Whether a text can be the id of a trace at all. */
export function isTraceId(text: string): boolean {
  return HEX.test(text) && text.length <= LONG;
}

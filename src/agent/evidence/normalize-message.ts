/** What stands for a part that varies from line to line. */
export const VARIABLE = '<*>';

/** In this order: a later rule must not see what an earlier one has taken. None backtracks over more than one run of digits. */
const RULES: readonly RegExp[] = [
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  // Whatever is glued to a time stamp (fraction, zone, a comma) belongs to it.
  /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}\S*/g,
  /\b\d{10,13}\b/g,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /\b0x[0-9a-f]+\b/gi,
  /\b\d+(?:\.\d+)?\s*(?:ms|seconds?|sec|s|bytes|KB|MB|GB)\b/g,
];

/**
 * The wording of a log line (SPEC A10): UUIDs, time stamps, integers of 10 to 13 digits, IPv4 addresses with their port, hexadecimal numbers and
 * quantities with a unit become `<*>`; the result is trimmed. Lines of equal wording are one group. Idempotent, linear.
 */
export function normalizeLogMessage(message: string): string {
  return RULES.reduce((text, rule) => text.replace(rule, VARIABLE), message).trim();
}

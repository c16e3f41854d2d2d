/** The input cannot be investigated: a file that is not there or not an alert. The message says which and what to do. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

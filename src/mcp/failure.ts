import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { clip, oneLine } from '../policy/untrusted.ts';

const LONGEST = 300;

/** True when the server did answer, with a refusal: it is alive. */
export function isAnswer(error: unknown): error is ProtocolError {
  return ProtocolError.isInstance(error);
}

/** Why there was no answer, as a clause. May quote the server. */
export function explainFailure(error: unknown, timeoutMs: number, stderr: string): string {
  const said = stderr === '' ? '' : `; it printed: ${clip(oneLine(stderr), LONGEST)}`;
  if (isTimeout(error)) return `it gave no answer within ${timeoutMs} ms${said}`;
  // The body of an HTTP error is a stranger's page.
  if (SdkHttpError.isInstance(error)) return `it answered HTTP ${error.status}`;
  const { code, message } = rootOf(error);
  return `${clip(oneLine(code === undefined ? message : `${message} (${code})`), LONGEST)}${said}`;
}

/** True when the clock ended the wait; an aborted call looks the same, so ask its signal first. */
export function isTimeout(error: unknown): boolean {
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.RequestTimeout;
  return error instanceof Error && error.name === 'TimeoutError';
}

/** The first cause says what happened; what wraps it says that something did. */
function rootOf(error: unknown): { readonly message: string; readonly code: string | undefined } {
  let root = error;
  for (let depth = 0; depth < 5 && root instanceof Error && root.cause instanceof Error; depth++) root = root.cause;
  if (!(root instanceof Error)) return { message: String(root), code: undefined };
  const { code } = root as { readonly code?: unknown };
  const isNamed = typeof code === 'string' && !root.message.includes(code);
  return { message: root.message || root.name, code: isNamed ? code : undefined };
}

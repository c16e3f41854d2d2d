import { ModelError, type ModelErrorKind, type TokenUsage } from '../agent/model.ts';

const WORDS: Readonly<Record<ModelErrorKind, string>> = {
  overloaded: 'it was overloaded',
  rate_limited: 'it was rate limited',
  server: 'it had an internal error',
  network: 'it could not be reached',
  timeout: 'it did not answer in time',
  stalled: 'its answer stopped in the middle',
  malformed: 'its answer was cut off or not readable',
  auth: 'it refused the API key',
  permission: 'the API key is not permitted to use it',
  billing: 'the account has a billing problem',
  unknown_model: 'it does not know the model or the path',
  invalid_request: 'it refused the request as invalid',
  overflow: 'the request was too large for it',
  aborted: 'the request was cancelled',
};

/** The message is a clause for people: what the model did, and in brackets what it answered with. */
export function modelError(kind: ModelErrorKind, usage: TokenUsage, detail = '', cause?: unknown): ModelError {
  return new ModelError(kind, detail ? `${WORDS[kind]} (${detail})` : WORDS[kind], usage, { cause });
}

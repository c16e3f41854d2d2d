import type { Notification } from '../domain/alert.ts';

/** A sender of alerts. `parse` throws only `PayloadError`. */
export interface Source {
  /** Also the last segment of its path: `POST /webhooks/<name>`. */
  readonly name: string;
  parse(body: unknown): Notification;
}

/** The body can never be read, however often it is sent. The message names the place and is safe to answer with: it quotes no values. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Acknowledgement, Notification } from '../domain/alert.ts';

/** A webhook as it came in. */
export interface InboundRequest {
  readonly headers: IncomingHttpHeaders;
  /** The raw body: signatures are over these bytes and no others. */
  readonly bytes: Buffer;
}

/** What a webhook says. */
export type Reading =
  | {
      readonly kind: 'notification';
      readonly notification: Notification;
      /** A status that nobody has thought of, and that was taken for firing. */
      readonly unknownStatus?: string;
    }
  | { readonly kind: 'acknowledged'; readonly acknowledgement: Acknowledgement }
  /** Well understood and no work: a test event, a note, our own echo. `why` goes into the log. */
  | { readonly kind: 'nothing'; readonly why: string }
  /** The sender wants something done before it sends alerts. Done after the answer; a failure is logged. Resolves with words for the log. */
  | { readonly kind: 'handshake'; readonly run: () => Promise<string> };

export type SourceAuth =
  /** Anybody may send. `remedy` names the setting that would change that. */
  | { readonly kind: 'open'; readonly remedy: string }
  /** Judged by its headers, before the body is read. `how` says by what, for people. */
  | { readonly kind: 'headers'; readonly how: string; readonly accepts: (headers: IncomingHttpHeaders) => boolean }
  /**
   * Judged by its signature over the raw body, before anything is acted on. May throw `IntakeUnavailable` when it cannot be judged now; the
   * sender then sends again.
   */
  | {
      readonly kind: 'signature';
      readonly how: string;
      readonly accepts: (request: InboundRequest) => boolean | Promise<boolean>;
    };

/** A sender of alerts. */
export interface Source {
  /** Also the last segment of its path: `POST /webhooks/<name>`. */
  readonly name: string;
  readonly auth: SourceAuth;
  /** Methods it is sent with; POST unless said. */
  readonly methods?: readonly string[];
  /** Throws only `PayloadError`. */
  read(request: InboundRequest): Reading;
  /** What a person who tries the source should know about how a readable body was read. Never throws. */
  remarks?(request: InboundRequest): readonly string[];
}

/** The body can never be read, however often it is sent. The message names the place and is safe to answer with: it quotes no values. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
  /** 400: not readable at all. 422: readable, and what is needed is not in it. */
  readonly status: 400 | 422;

  constructor(message: string, status: 400 | 422 = 400) {
    super(message);
    this.status = status;
  }
}

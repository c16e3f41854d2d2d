import { createHash, timingSafeEqual } from 'node:crypto';

export interface Credentials {
  /** Several, so that a token can be replaced without a gap. */
  readonly bearerTokens: readonly string[];
  /** `user:password` */
  readonly basicAuth: string | undefined;
}

/** Judges an `Authorization` header. Everything is let in when no credentials are set. */
export type Authorize = (header: string | undefined) => boolean;

/** Compares digests, and all of them: neither the length nor the position of a match shows in the time taken. */
export function createAuthorize({ bearerTokens, basicAuth }: Credentials): Authorize {
  const accepted = [
    ...bearerTokens.map((token) => digest(`bearer ${token}`)),
    ...(basicAuth === undefined ? [] : [digest(`basic ${Buffer.from(basicAuth, 'utf8').toString('base64')}`)]),
  ];
  if (accepted.length === 0) return () => true;
  return (header) => {
    const match = /^(bearer|basic) +(\S+) *$/i.exec(header ?? '');
    const offered = digest(match ? `${match[1]?.toLowerCase()} ${match[2]}` : '');
    return accepted.filter((candidate) => timingSafeEqual(candidate, offered)).length > 0;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

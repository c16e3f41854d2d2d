import type { IncomingHttpHeaders } from 'node:http';
import { createAuthorize } from '../platform/credentials.ts';
import type { SourceAuth } from './source.ts';

/** What a sender may show in its `Authorization` header. */
export interface SenderCredentials {
  readonly bearerTokens?: readonly string[] | undefined;
  /** `user:password` */
  readonly basicAuth?: string | undefined;
}

/** Judges the `Authorization` header; open, with `remedy`, when there is nothing to judge it by. */
export function authorizationAuth(
  { bearerTokens = [], basicAuth }: SenderCredentials,
  remedy: string,
): Extract<SourceAuth, { kind: 'open' | 'headers' }> {
  if (bearerTokens.length === 0 && basicAuth === undefined) return { kind: 'open', remedy };
  const authorize = createAuthorize({ bearerTokens, basicAuth });
  const ways = [
    ...(bearerTokens.length > 0 ? ['a bearer token'] : []),
    ...(basicAuth === undefined ? [] : ['user and password']),
  ];
  return {
    kind: 'headers',
    how: ways.join(' or '),
    accepts: ({ authorization }) => authorize(authorization),
  };
}

/** A header that is sent once; undefined when it is missing or there are several. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
}

import { createHash, timingSafeEqual } from 'node:crypto';
import ipaddr from 'ipaddr.js';

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

export interface ListenSettings {
  readonly HOST: string;
  readonly ALERTMANAGER_BEARER_TOKENS?: readonly string[] | undefined;
  readonly ALERTMANAGER_BASIC_AUTH?: string | undefined;
  readonly ALLOW_UNAUTHENTICATED: boolean;
}

/** True when senders have to show credentials. */
export function isProtected(settings: ListenSettings): boolean {
  return (settings.ALERTMANAGER_BEARER_TOKENS?.length ?? 0) > 0 || settings.ALERTMANAGER_BASIC_AUTH !== undefined;
}

/** Throws, naming the settings, when anybody on the network could send alerts and read reports. */
export function assertSafeToListen(settings: ListenSettings): void {
  if (isProtected(settings) || settings.ALLOW_UNAUTHENTICATED || isLoopback(settings.HOST)) return;
  throw new UnsafeListenError(
    `HOST=${settings.HOST} is reachable from other machines and nothing protects it. ` +
      'Set ALERTMANAGER_BEARER_TOKENS or ALERTMANAGER_BASIC_AUTH, or HOST=127.0.0.1, or, where a proxy checks who may send, ALLOW_UNAUTHENTICATED=true.',
  );
}

/** A configuration error: the process must not start. */
export class UnsafeListenError extends Error {
  override readonly name = 'UnsafeListenError';
}

function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

import ipaddr from 'ipaddr.js';

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

import { isLoopbackHost } from '../platform/loopback.ts';
import type { Source } from '../sources/source.ts';

export interface ListenSettings {
  readonly HOST: string;
  readonly ALLOW_UNAUTHENTICATED: boolean;
}

/**
 * Throws, naming the settings, when anybody on the network could send alerts, or read the reports (which take Alertmanager's credentials). `guessable`: settings
 * with credentials that everybody knows.
 */
export function assertSafeToListen(
  settings: ListenSettings,
  sources: readonly Pick<Source, 'name' | 'auth'>[],
  guessable: readonly string[],
): void {
  if (settings.ALLOW_UNAUTHENTICATED || isLoopbackHost(settings.HOST)) return;
  if (guessable.length > 0)
    throw new UnsafeListenError(
      `HOST=${settings.HOST} is reachable from other machines, and anybody can guess ${guessable.join(', ')}: it holds the placeholder of an example. Set a secret, such as openssl rand -hex 32 writes.`,
    );
  const open = sources.flatMap(({ name, auth }) => (auth.kind === 'open' ? [{ name, remedy: auth.remedy }] : []));
  if (open.length === 0) return;
  const paths = open.map(({ name }) => `/webhooks/${name}`).join(', ');
  throw new UnsafeListenError(
    `HOST=${settings.HOST} is reachable from other machines and nothing protects ${paths}. ` +
      `${open.map(({ remedy }) => remedy).join('; ')}; or HOST=127.0.0.1, or, where a proxy checks who may send, ALLOW_UNAUTHENTICATED=true.`,
  );
}

/** A configuration error: the process must not start. */
export class UnsafeListenError extends Error {
  override readonly name = 'UnsafeListenError';
}

import { readFileSync } from 'node:fs';
import type { keepMistakes } from '../../config/load-config.ts';
import { readNamed } from './read-file.ts';

/** Where a telemetry server is and how it is asked. */
export interface BackendAccess {
  /** Without a slash at its end. */
  readonly url: string;
  readonly bearerToken?: string;
  /** `user:password` */
  readonly basicAuth?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM text of the certificate authority. */
  readonly ca?: string;
  /** Deadline of one request. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

/** The settings of one prefix, as `accessSettings` of config declares them. */
export type AccessSettings<P extends string> = {
  readonly [K in `${P}_TIMEOUT_MS` | `${P}_MAX_RESPONSE_BYTES`]: number;
} & {
  readonly [K in `${P}_URL` | `${P}_BEARER_TOKEN` | `${P}_BASIC_AUTH` | `${P}_CA_FILE`]?: string | undefined;
} & { readonly [K in `${P}_HEADERS`]?: readonly string[] | undefined };

type TryTo = ReturnType<typeof keepMistakes>;

/** How the server under `<prefix>_URL` is asked; undefined when there is none, and when `tryTo` was refused its certificate. */
export function readAccess<P extends string>(
  prefix: P,
  settings: AccessSettings<P>,
  tryTo: TryTo,
): BackendAccess | undefined {
  const { URL: url, CA_FILE: caFile, ...more } = withoutPrefix(prefix, settings);
  if (url === undefined) return undefined;
  const trusted = tryTo(() => {
    if (caFile === undefined) return {};
    return { ca: readNamed(`${prefix}_CA_FILE`, caFile, readCertificate) };
  });
  if (!trusted) return undefined;
  return {
    url,
    ...(more.BEARER_TOKEN === undefined ? {} : { bearerToken: more.BEARER_TOKEN }),
    ...(more.BASIC_AUTH === undefined ? {} : { basicAuth: more.BASIC_AUTH }),
    headers: Object.fromEntries((more.HEADERS ?? []).map(toHeader)),
    ...trusted,
    timeoutMs: more.TIMEOUT_MS,
    maxResponseBytes: more.MAX_RESPONSE_BYTES,
  };
}

interface Bare {
  readonly URL?: string | undefined;
  readonly BEARER_TOKEN?: string | undefined;
  readonly BASIC_AUTH?: string | undefined;
  readonly HEADERS?: readonly string[] | undefined;
  readonly CA_FILE?: string | undefined;
  readonly TIMEOUT_MS: number;
  readonly MAX_RESPONSE_BYTES: number;
}

function withoutPrefix<P extends string>(prefix: P, settings: AccessSettings<P>): Bare {
  const own = Object.entries(settings).filter(([name]) => name.startsWith(`${prefix}_`));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length + 1), value])) as unknown as Bare;
}

function readCertificate(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it holds no PEM certificate');
  return text;
}

/** The setting has made sure of its form. */
function toHeader(pair: string): readonly [name: string, value: string] {
  const [name = '', ...value] = pair.split('=');
  return [name.toLowerCase(), value.join('=').trim()];
}

/** For links and messages: a URL may carry user and password. */
export function withoutCredentials(url: string): string {
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  return parsed.toString().replace(/\/+$/, '');
}

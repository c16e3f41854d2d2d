import { z } from 'zod';
import { basicAuth, integer, list, token, url } from './kinds.ts';

const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+=/;

const headers = (product: string) =>
  list
    .refine((pairs) => pairs.every((pair) => HEADER.test(pair)), 'must be Name=value, comma separated')
    .optional()
    .describe(`Extra headers for ${product}, comma separated \`Name=value\` (for example X-Scope-OrgID=tenant).`)
    .meta({ secret: true });

/** What every telemetry server asked over HTTP has: `LOKI_URL`, `LOKI_BEARER_TOKEN` and so on. `address` describes the URL. */
export function accessSettings<P extends string>(prefix: P, product: string, address: string) {
  const settings = {
    URL: url.optional().describe(address),
    BEARER_TOKEN: token.optional().describe(`Bearer token for ${product}.`).meta({ secret: true }),
    BASIC_AUTH: basicAuth.optional().describe(`user:password for ${product}.`).meta({ secret: true }),
    HEADERS: headers(product),
    CA_FILE: z.string().optional().describe(`PEM file with the certificate authority of ${product}.`),
    TIMEOUT_MS: integer(100, 300_000).default(15_000).describe(`Deadline of one request to ${product}.`),
    MAX_RESPONSE_BYTES: integer(10_000, 1_000_000_000)
      .default(33_554_432)
      .describe(`Most bytes read of one answer of ${product}.`),
  };
  const named = Object.entries(settings).map(([name, setting]) => [`${prefix}_${name}`, setting]);
  return Object.fromEntries(named) as AccessSettings<P, typeof settings>;
}

type AccessSettings<P extends string, S> = { readonly [K in keyof S & string as `${P}_${K}`]: S[K] };

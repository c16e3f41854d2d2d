import type { SourceAuth } from '../source.ts';
import { authorizationAuth, headerOf } from '../authorization.ts';
import { matchesHmac, type HmacEncoding } from '../hmac.ts';

/** How a sender of SOURCES_FILE proves who it is, with the values of the environment. */
export type SenderAuth =
  | { readonly kind: 'open' }
  /** These variables hold nothing yet. */
  | { readonly kind: 'unset'; readonly variables: readonly string[] }
  | { readonly kind: 'bearer'; readonly tokens: readonly string[] }
  | { readonly kind: 'basic'; readonly userAndPassword: string }
  | {
      readonly kind: 'hmac';
      readonly header: string;
      readonly secrets: readonly string[];
      readonly encoding: HmacEncoding;
      /** Stands before the signature, such as `sha256=`. */
      readonly prefix: string;
    };

export function senderAuth(name: string, auth: SenderAuth): SourceAuth {
  switch (auth.kind) {
    case 'open':
      return { kind: 'open', remedy: `Set auth of the source ${name} in SOURCES_FILE` };
    case 'unset': {
      const are = auth.variables.length > 1 ? 'are' : 'is';
      const how = `${auth.variables.join(' and ')} ${are} not set: the receiver will refuse to start until then`;
      return { kind: 'headers', how, accepts: () => false };
    }
    case 'bearer':
      return authorizationAuth({ bearerTokens: auth.tokens }, '');
    case 'basic':
      return authorizationAuth({ basicAuth: auth.userAndPassword }, '');
    case 'hmac': {
      const { header, secrets, encoding, prefix } = auth;
      return {
        kind: 'signature',
        how: `signature ${header}`,
        accepts: ({ headers, bytes }) => {
          const offered = headerOf(headers, header)?.trim() ?? '';
          if (!offered.startsWith(prefix)) return false;
          return matchesHmac(bytes, [offered.slice(prefix.length)], secrets, encoding);
        },
      };
    }
  }
}

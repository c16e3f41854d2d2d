import { basicAuth, flag, integer, list } from './kinds.ts';

export const inbound = {
  ALERTMANAGER_BEARER_TOKENS: list
    .optional()
    .describe('Accepted bearer tokens of Alertmanager, comma separated (two for rotation).')
    .meta({ secret: true }),
  ALERTMANAGER_BASIC_AUTH: basicAuth
    .optional()
    .describe('Accepted user:password of Alertmanager.')
    .meta({ secret: true }),
  ALLOW_UNAUTHENTICATED: flag
    .default(false)
    .describe('Accept webhooks without credentials on an address other than loopback.'),
  WEBHOOK_BODY_LIMIT_BYTES: integer(1024, 104_857_600).default(10_485_760).describe('Largest accepted webhook body.'),
} as const;

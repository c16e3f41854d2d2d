import { z } from 'zod';
import { basicAuth, flag, integer, list, token, url } from './kinds.ts';

const headerName = z.string().regex(/^[A-Za-z][\w-]{0,99}$/, 'must be the name of a header');

export const inbound = {
  ALERTMANAGER_BEARER_TOKENS: list
    .optional()
    .describe('Accepted bearer tokens of Alertmanager, comma separated (two for rotation).')
    .meta({ secret: true }),
  ALERTMANAGER_BASIC_AUTH: basicAuth
    .optional()
    .describe('Accepted user:password of Alertmanager.')
    .meta({ secret: true }),
  PAGERDUTY_WEBHOOK_SECRETS: list
    .optional()
    .describe(
      'Secrets of PagerDuty V3 webhook subscriptions, comma separated (two for rotation). Set: webhooks of PagerDuty are taken.',
    )
    .meta({ secret: true }),
  PAGERDUTY_REOPENED: z
    .enum(['investigate', 'ignore'])
    .default('investigate')
    .describe('What is done with an incident that is opened again: investigate, as a new occurrence, or ignore.'),
  PAGERDUTY_OWN_IDS: list
    .optional()
    .describe(
      'Ids of PagerDuty users or integrations that are Rootnote itself, comma separated; their events are ignored.',
    ),
  PAGERDUTY_API_TOKEN: token
    .optional()
    .describe(
      'Token of the PagerDuty REST API: reads the alerts behind an incident, which its webhook does not carry, and writes notes. Unset: from title and service alone.',
    )
    .meta({ secret: true }),
  PAGERDUTY_API_URL: url
    .default('https://api.pagerduty.com')
    .describe('Base URL of the PagerDuty REST API; accounts of the EU region have another one.'),
  GRAFANA_WEBHOOK_SECRET: z
    .string()
    .optional()
    .describe('HMAC secret of the Grafana webhook contact point.')
    .meta({ secret: true }),
  GRAFANA_SIGNATURE_HEADER: headerName
    .default('X-Grafana-Alerting-Signature')
    .describe('Header with the signature of GRAFANA_WEBHOOK_SECRET.'),
  GRAFANA_TIMESTAMP_HEADER: headerName
    .optional()
    .describe(
      'Header with the time that is signed, too, as the contact point names it. Set: requests older than 5 minutes are refused.',
    ),
  GRAFANA_BEARER_TOKENS: list
    .optional()
    .describe('Accepted bearer tokens of Grafana, comma separated (two for rotation).')
    .meta({ secret: true }),
  GRAFANA_BASIC_AUTH: basicAuth.optional().describe('Accepted user:password of Grafana.').meta({ secret: true }),
  SOURCES_FILE: z
    .string()
    .optional()
    .describe(
      'YAML with further senders of alerts: Datadog, Sentry, CloudWatch, Opsgenie, or any JSON (docs/sources.md).',
    ),
  ALLOW_UNAUTHENTICATED: flag
    .default(false)
    .describe('Accept webhooks without credentials on an address other than loopback.'),
  WEBHOOK_BODY_LIMIT_BYTES: integer(1024, 104_857_600).default(10_485_760).describe('Largest accepted webhook body.'),
} as const;

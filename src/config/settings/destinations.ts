import { z } from 'zod';
import { flag, url } from './kinds.ts';

export const destinations = {
  REPORT_DIR: z.string().optional().describe('Folder for reports as JSON files. Unset: STATE_DIR/reports.'),
  SLACK_BOT_TOKEN: z
    .string()
    .optional()
    .describe('Bot token (chat:write). Full mode: threads and updates.')
    .meta({ secret: true }),
  SLACK_CHANNEL: z.string().optional().describe('Channel id that reports go to; needed with SLACK_BOT_TOKEN.'),
  SLACK_WEBHOOK_URL: url
    .optional()
    .describe('Incoming webhook. Reduced mode: no threads, no updates.')
    .meta({ secret: true }),
  SLACK_API_URL: url.default('https://slack.com/api').describe('Base URL of the Slack Web API.'),
  REPORT_WEBHOOK_URL: url.optional().describe('URL that receives every report as a signed Standard Webhooks request.'),
  REPORT_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/=]{32,}$/, 'must have the form whsec_<base64 of 24 to 64 bytes>')
    .optional()
    .describe('Signing secret of REPORT_WEBHOOK_URL.')
    .meta({ secret: true }),
  REPORT_WEBHOOK_ALLOW_PRIVATE: flag
    .default(false)
    .describe('Allow REPORT_WEBHOOK_URL to resolve to a private or loopback address.'),
} as const;

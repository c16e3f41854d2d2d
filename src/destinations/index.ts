import type { Destination } from '../domain/delivery.ts';
import { createFileDestination } from './file/file-destination.ts';
import { createIncomingWebhookDestination } from './slack/incoming-webhook.ts';
import { createSlackDestination } from './slack/slack-destination.ts';
import { createWebhookDestination } from './webhook/webhook-destination.ts';

/** The settings destinations are made from; `Config` satisfies it. */
export interface DestinationSettings {
  readonly STATE_DIR: string;
  readonly REPORT_DIR?: string | undefined;
  readonly SLACK_BOT_TOKEN?: string | undefined;
  readonly SLACK_CHANNEL?: string | undefined;
  readonly SLACK_WEBHOOK_URL?: string | undefined;
  readonly SLACK_API_URL: string;
  readonly REPORT_WEBHOOK_URL?: string | undefined;
  readonly REPORT_WEBHOOK_SECRET?: string | undefined;
  readonly REPORT_WEBHOOK_ALLOW_PRIVATE: boolean;
}

/** Every destination that is configured. Files always: a report exists even where no chat is. Names are unique. */
export function createDestinations(settings: DestinationSettings): readonly Destination[] {
  return [file(settings), slack(settings), slackWebhook(settings), webhook(settings)].filter(
    (destination) => destination !== undefined,
  );
}

function file(settings: DestinationSettings): Destination {
  return createFileDestination(settings.REPORT_DIR ?? `${settings.STATE_DIR}/reports`);
}

function slack({ SLACK_BOT_TOKEN, SLACK_CHANNEL, SLACK_API_URL }: DestinationSettings): Destination | undefined {
  if (!SLACK_BOT_TOKEN || !SLACK_CHANNEL) return undefined;
  return createSlackDestination({ apiUrl: SLACK_API_URL, botToken: SLACK_BOT_TOKEN, channel: SLACK_CHANNEL });
}

/** Not beside the bot: both would post to the same people. */
function slackWebhook({ SLACK_WEBHOOK_URL, SLACK_BOT_TOKEN }: DestinationSettings): Destination | undefined {
  if (!SLACK_WEBHOOK_URL || SLACK_BOT_TOKEN) return undefined;
  return createIncomingWebhookDestination(SLACK_WEBHOOK_URL);
}

function webhook(settings: DestinationSettings): Destination | undefined {
  const { REPORT_WEBHOOK_URL: url, REPORT_WEBHOOK_SECRET: secret } = settings;
  if (!url || !secret) return undefined;
  return createWebhookDestination({ url, secret, allowPrivate: settings.REPORT_WEBHOOK_ALLOW_PRIVATE });
}

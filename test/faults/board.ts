import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { nameIn } from './alerts.ts';

/** The destinations, as people see them. */
export interface Board {
  readonly slack: SlackApiServer;
  readonly webhook: WebhookReceiver;
  /** Settings of a worker that reports to these. */
  envFor(...destinations: readonly DestinationName[]): Readonly<Record<string, string>>;
  /** Visible reports by the name of the alert (of a check, by its id): messages in the channel itself; requests of different ids. */
  reports(destination: DestinationName): ReadonlyMap<string, number>;
  /** The bodies of the reports that the webhook has had, by the same names. */
  bodies(): ReadonlyMap<string, ReportBody>;
  close(): Promise<void>;
}

export type DestinationName = 'slack' | 'webhook';

export interface ReportBody {
  readonly mode: string;
  readonly status: string;
  readonly gaps: readonly string[];
  readonly incident: { readonly id: string; readonly labels: Readonly<Record<string, string>> };
  readonly usage: { readonly termination_reason: string };
}

/** Few pages of history, so that looking for a post among hundreds stays cheap. */
const PAGE_SIZE = 200;

export async function startBoard(): Promise<Board> {
  const [slack, webhook] = await Promise.all([startSlackApi(), startWebhookReceiver()]);
  slack.pageSize = PAGE_SIZE;
  const counted = createWebhookCount(webhook);
  const countRoots = createRootCount(slack);
  return {
    slack,
    webhook,
    envFor: (...destinations) => ({
      ...(destinations.includes('slack')
        ? { SLACK_API_URL: slack.apiUrl, SLACK_BOT_TOKEN: slack.token, SLACK_CHANNEL: slack.channel }
        : {}),
      ...(destinations.includes('webhook')
        ? {
            REPORT_WEBHOOK_URL: webhook.url,
            REPORT_WEBHOOK_SECRET: webhook.secret,
            REPORT_WEBHOOK_ALLOW_PRIVATE: 'true',
          }
        : {}),
    }),
    reports: (destination) => (destination === 'webhook' ? counted().reports : countRoots()),
    bodies: () => counted().bodies,
    close: async () => void (await Promise.all([slack.close(), webhook.close()])),
  };
}

/** Reads each message once, as the next one each request: there are hundreds, and both are asked again and again. */
function createRootCount(slack: SlackApiServer) {
  const names = new Map<string, string>();
  return (): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>();
    for (const message of slack.roots()) {
      const name = names.get(message.ts) ?? nameIn(JSON.stringify(message)) ?? 'no alert';
      names.set(message.ts, name);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  };
}

function createWebhookCount(webhook: WebhookReceiver) {
  const reports = new Map<string, number>();
  const bodies = new Map<string, ReportBody>();
  const ids = new Set<string>();
  let read = 0;
  return () => {
    for (; read < webhook.requests.length; read++) {
      const request = webhook.requests[read];
      const body = request?.body as { readonly type: string; readonly data: { readonly report: ReportBody } };
      if (!request || body.type !== 'report.created' || ids.has(request.id)) continue;
      ids.add(request.id);
      const { id, labels } = body.data.report.incident;
      const name = labels['case'] ?? id;
      reports.set(name, (reports.get(name) ?? 0) + 1);
      bodies.set(name, body.data.report);
    }
    return { reports, bodies };
  };
}

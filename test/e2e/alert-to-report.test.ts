import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startAlertmanager } from '../support/alertmanager.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { ALERTMANAGER, PROMETHEUS, REDIS } from '../support/programs.ts';
import type { LoopbackProgram } from '../support/loopback-program.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { startRootnote, stopRootnotes, type RootnoteProcess } from '../support/rootnote-process.ts';
import { startShop, type Shop } from '../support/shop.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';

const TOKEN = 'alertmanager-shared-secret';
const ERRORS = 'sum by (service) (rate(http_request_duration_seconds_count{service="checkout",status="500"}[5s]))';
const RULES = `groups:
  - name: shop
    rules:
      - alert: CheckoutErrors
        expr: ${ERRORS} > 1
        for: 5s
        labels: { severity: critical }
        annotations: { summary: 'checkout answers {{ $value }} requests a second with an error' }
`;

const suite = await describeIf(REDIS, PROMETHEUS, ALERTMANAGER);

suite('from a real alert to a report in Slack', () => {
  let shop: Shop;
  let slack: SlackApiServer;
  let prometheus: LoopbackProgram;
  let alertmanager: LoopbackProgram;
  let rootnote: RootnoteProcess;

  beforeAll(async () => {
    shop = await startShop();
    slack = await startSlackApi();
    const port = await freePort();
    alertmanager = await startAlertmanager({
      webhookUrl: `http://127.0.0.1:${port}/webhooks/alertmanager`,
      bearerToken: TOKEN,
      groupWait: '1s',
      groupInterval: '2s',
    });
    prometheus = await startPrometheus({
      scrapeTargets: shop.targets,
      rulesYaml: RULES,
      alertmanagerUrl: alertmanager.url,
    });
    rootnote = await startRootnote('all', {
      PORT: String(port),
      ALERTMANAGER_BEARER_TOKENS: TOKEN,
      PROMETHEUS_URL: prometheus.url,
      BASELINE_MINUTES: '5',
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
    });
  }, 240_000);

  afterAll(async () => {
    await stopRootnotes();
    await prometheus?.stop();
    await alertmanager?.stop();
    await shop?.stop();
    await slack?.close();
  });

  test('D1 D4 D7: an alert fires, one message with the broken service and its evidence arrives; when it resolves, the thread says so', async () => {
    await eventually(
      '30 s of calm are recorded',
      () => samplesOfCalm(prometheus.url),
      (count) => count >= 30,
    );
    shop.break();

    const [root] = await eventually(
      'a report is posted',
      () => slack.roots(),
      (roots) => roots.length > 0,
    );
    const told = JSON.stringify(root);
    expect(root?.text).toContain('FIRING');
    expect(told).toContain('CheckoutErrors');
    expect(told).toContain('*Root cause:* `payments`');
    expect(told).toMatch(/\*M\d+\* metric, \d\d:\d\d:\d\d \([^)]*\): payments http_errors_per_second/);
    const details = await eventually('its details are in the thread', () => slack.repliesOf(root?.ts ?? '')[0]);
    expect(JSON.stringify(details)).toMatch(/How it unfolded.*\[M\d+/);

    shop.heal();
    await eventually(
      'the root says that it is over',
      () => slack.roots()[0]?.text ?? '',
      (text) => text.includes('RESOLVED'),
    );
    await eventually(
      'a reply says so',
      () => resolvedReplies(slack),
      (replies) => replies.length === 1,
    );
    expect(slack.roots()).toHaveLength(1);
    expect(slack.calls.filter(({ method }) => method === 'chat.update')).toHaveLength(1);
  }, 180_000);

  test('D1: the copies that two Alertmanagers send at the same instant become one report', async () => {
    const before = slack.roots().length;
    const copyOf = (peer: string) =>
      groupText({
        externalURL: `http://alertmanager-${peer}.example.net:9093`,
        groupKey: '{}:{alertname="CartErrors"}',
        alerts: [numberedAlert(1, { labels: { alertname: 'CartErrors', service: 'cart', severity: 'warning' } })],
      });
    const authorization = `Bearer ${TOKEN}`;
    const answers = await Promise.all(
      ['a', 'b', 'a', 'b'].map((peer) => rootnote.post(copyOf(peer), { authorization })),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    await eventually(
      'its report is posted',
      () => slack.roots().length,
      (count) => count > before,
    );
    // A second report would come from a second arrival, job or delivery: when none is left, none can come.
    await eventually('there is nothing left to do', () => metrics(rootnote.url), isIdle);
    expect(slack.roots().filter(({ text }) => text.includes('CartErrors'))).toHaveLength(1);
  });

  test('an alert without the token is refused', async () => {
    const answer = await rootnote.post(groupText({ alerts: [numberedAlert(2)] }));
    expect(answer.status).toBe(401);
  });
});

function resolvedReplies(slack: SlackApiServer) {
  const [root] = slack.roots();
  return root ? slack.repliesOf(root.ts).filter(({ text }) => text.includes('RESOLVED')) : [];
}

/** Seconds for which Prometheus has seen requests of checkout. */
async function samplesOfCalm(url: string): Promise<number> {
  const query = new URLSearchParams({
    query: 'count_over_time(http_request_duration_seconds_count{service="checkout",status="200"}[5m])',
  });
  const response = await fetch(`${url}/api/v1/query?${query.toString()}`);
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
  return Number(data.result[0]?.value[1] ?? 0);
}

async function metrics(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** Nothing is undecided, worked on or to be told. Later looks stay delayed; at most they change the post that is there. */
function isIdle(text: string): boolean {
  return [
    /^rootnote_inbox_waiting (\d+)/gm,
    /^rootnote_queue_depth\{[^}]*state="(?:waiting|active)"[^}]*\} (\d+)/gm,
    /^rootnote_delivery_backlog\{[^}]*\} (\d+)/gm,
  ].every((gauge) => {
    const depths = [...text.matchAll(gauge)];
    return depths.length > 0 && depths.every(([, depth]) => depth === '0');
  });
}

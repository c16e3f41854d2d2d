import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { runRootnote, startRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const suite = await describeIf(REDIS);

suite('destinations that fail', () => {
  let slack: SlackApiServer;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    slack = await startSlackApi();
    receiver = await startWebhookReceiver();
  });
  afterEach(async () => {
    await stopRootnotes();
    await slack.close();
    await receiver.close();
  });

  test('D7 R2: one that fails delays no other, an answer that got lost is not posted again, and each gets the report once', async () => {
    slack.fail('chat.postMessage', { kind: 'status', status: 503 }, { kind: 'close-after-accepting' });
    receiver.answerWith(500, 'close');
    const reportDir = await temporaryFolder();
    const env = {
      REPORT_DIR: reportDir,
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
      REPORT_WEBHOOK_URL: receiver.url,
      REPORT_WEBHOOK_SECRET: receiver.secret,
      REPORT_WEBHOOK_ALLOW_PRIVATE: 'true',
    };
    const rootnote = await startRootnote('all', env);
    expect((await rootnote.post(groupText({ alerts: [numberedAlert(1)] }))).status).toBe(202);
    const file = await eventually('the file is written', async () => (await readdir(reportDir)).find(isReport) ?? '');

    const reportId = file.replace('.json', '');
    const show = async () => (await runRootnote(['reports', 'show', reportId], env, rootnote.folder)).stdout;
    const shown = await eventually('all three have it', show, (text) => text.match(/report delivered/g)?.length === 3);
    expect(shown).toContain('file: report delivered (1 attempt)');
    expect(slack.roots()).toHaveLength(1);
    expect(receiver.visible()).toHaveLength(1);
    expect(receiver.requests.every(({ isSigned }) => isSigned)).toBe(true);
    expect(await rootnote.terminate()).toBe(0);
  }, 180_000);

  test('D4: a destination that refuses for good is given up, with the reason to read', async () => {
    slack.fail('chat.postMessage', { kind: 'error', error: 'is_archived' });
    const reportDir = await temporaryFolder();
    const env = {
      REPORT_DIR: reportDir,
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
    };
    const rootnote = await startRootnote('all', env);
    expect((await rootnote.post(groupText({ alerts: [numberedAlert(1)] }))).status).toBe(202);
    const file = await eventually('the file is written', async () => (await readdir(reportDir)).find(isReport) ?? '');
    const show = async () =>
      (await runRootnote(['reports', 'show', file.replace('.json', '')], env, rootnote.folder)).stdout;
    const shown = await eventually('slack is given up', show, (text) => text.includes('gave-up'));
    expect(shown).toMatch(/slack: report gave-up \(1 attempt, .*is_archived/);
    await eventually('it is logged', rootnote.output, (text) => text.includes('is_archived'));
    const metrics = await (await fetch(`${rootnote.url}/metrics`)).text();
    expect(metrics).toMatch(/rootnote_deliver\w+\{[^}]*destination="slack"[^}]*\} [1-9]/);
  });
});

function isReport(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.');
}

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startPrometheusImitation, type PrometheusImitation } from '../support/prometheus-api.ts';
import { startRootnote, stopRootnotes, type RootnoteProcess } from '../support/rootnote-process.ts';
import { startSlackApi, type SlackApiServer, type SlackMessage } from '../support/slack-api.ts';

const FIRING = groupText({ alerts: [numberedAlert(1)] });
const RESOLVED = groupText({ alerts: [numberedAlert(1, { status: 'resolved' })] });

const suite = await describeIf(REDIS);

suite('alerts that resolve', () => {
  let slack: SlackApiServer;
  let prometheus: PrometheusImitation;
  let providerHangs: boolean;
  let rootnote: RootnoteProcess;

  beforeEach(async () => {
    providerHangs = false;
    slack = await startSlackApi();
    prometheus = await startPrometheusImitation(() => (providerHangs ? 'hang' : undefined));
    rootnote = await startRootnote('all', {
      LOG_LEVEL: 'debug',
      PROMETHEUS_URL: prometheus.url,
      PROMETHEUS_TIMEOUT_MS: '3000',
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
    });
  });
  afterEach(async () => {
    await stopRootnotes();
    await slack.close();
    await prometheus.stop();
  });

  test('D4: while it is investigated: the report comes first, and says or is told that it is over', async () => {
    providerHangs = true;
    expect(await rootnote.postDecided(FIRING)).toMatchObject({ decision: 'new' });
    await eventually('the investigation is under way', () => prometheus.asked.length);
    expect(await rootnote.postDecided(RESOLVED)).toMatchObject({ decision: 'resolved' });
    providerHangs = false;

    const reply = await eventually('the thread is closed', () => slack.messages.find(isReplyThatItIsOver));
    const [root] = slack.roots();
    expect(reply).toMatchObject({ thread_ts: root?.ts, text: expect.stringContaining('RESOLVED') });
    expect(root?.text).toContain('RESOLVED');
    expect(slack.roots()).toHaveLength(1);
  });

  test('D1 D4: fires, resolves, resolves again, fires anew: two messages, one of them resolved once', async () => {
    const again = groupText({ alerts: [numberedAlert(1, { startsAt: '2026-11-03T09:00:00Z' })] });
    const decisions: string[] = [];
    const send = async (body: string) => decisions.push((await rootnote.postDecided(body)).decision);
    await send(FIRING);
    await eventually('its report is posted', () => slack.roots().length);
    await send(RESOLVED);
    await send(RESOLVED);
    await send(FIRING);
    await eventually('the thread is closed', () => slack.messages.filter(isReplyThatItIsOver).length);
    await send(again);
    await eventually(
      'the second report is posted',
      () => slack.roots().length,
      (count) => count === 2,
    );
    expect(decisions).toEqual(['new', 'resolved', 'repeat', 'repeat', 'new']);
    expect(await rootnote.terminate()).toBe(0);
    expect(slack.roots().map(({ text }) => /FIRING|RESOLVED/.exec(text)?.[0])).toEqual(['RESOLVED', 'FIRING']);
    expect(slack.roots()).toHaveLength(2);
    expect(slack.messages.filter(isReplyThatItIsOver)).toHaveLength(1);
  });

  test('what resolves without having fired is nothing to report', async () => {
    expect(await rootnote.postDecided(RESOLVED)).toMatchObject({ decision: 'ignored' });
    expect(await rootnote.terminate()).toBe(0);
    expect(slack.calls).toEqual([]);
  });
});

function isReplyThatItIsOver({ thread_ts: threadTs, text }: SlackMessage): boolean {
  return threadTs !== undefined && text.includes('RESOLVED');
}

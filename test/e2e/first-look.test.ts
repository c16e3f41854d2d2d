import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Report } from '../../src/domain/report.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { gate } from '../support/gate.ts';
import { fails, says, type Script } from '../support/messages-api/script.ts';
import { startMessagesApi, type MessagesApi } from '../support/messages-api/server.ts';
import { paymentsReport } from '../support/payments-report.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { runRootnote, startRootnote, stopRootnotes, type RootnoteProcess } from '../support/rootnote-process.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';

const RECORDING = fileURLToPath(new URL('../fixtures/recordings/payments-pool', import.meta.url));
const API_KEY = ['sk', 'ant', 'key-of-the-test'].join('-');
const HANGS = { delayBeforeHeadersMs: 60_000 };

const suite = await describeIf(REDIS);

suite('two stages, one post', () => {
  let redis: TestRedis;
  let slack: SlackApiServer;
  let api: MessagesApi | undefined;

  beforeEach(async () => {
    redis = await startTestRedis();
    slack = await startSlackApi();
  });
  afterEach(async () => {
    await stopRootnotes();
    await api?.close();
    api = undefined;
    await slack.close();
    await redis.stop();
  });

  const start = async (script: Script | undefined, env: Readonly<Record<string, string>> = {}) => {
    if (script && !api) api = await startMessagesApi({ script, apiKey: API_KEY });
    return startRootnote('all', {
      ...(api ? { ANTHROPIC_API_KEY: API_KEY, ANTHROPIC_BASE_URL: api.baseUrl } : {}),
      RECORDING_DIR: RECORDING,
      REDIS_URL: redis.url,
      JOB_LOCK_MS: '2000',
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
      ...env,
    });
  };
  const alert = async (rootnote: RootnoteProcess): Promise<string> => {
    const { incidentId = '' } = await rootnote.postDecided(await readFile(join(RECORDING, 'alert.json'), 'utf8'));
    return incidentId;
  };
  const shown = async (rootnote: RootnoteProcess, id: string): Promise<Report | undefined> => {
    const answer = await fetch(`${rootnote.url}/api/v1/reports/rep_${id}`);
    return answer.ok ? ((await answer.json()) as Report) : undefined;
  };
  /** The report as it stands once it is told: the root message was edited, or is the first. */
  const reported = async (rootnote: RootnoteProcess, id: string): Promise<Report> => {
    const report = await eventually('the report stands', async () => {
      const found = await shown(rootnote, id);
      return found && found.stage === undefined ? found : undefined;
    });
    await eventually('it is told', async () => {
      const text = await (await fetch(`${rootnote.url}/metrics`)).text();
      return (
        /deliveries_total\{destination="slack",outcome="delivered"\} [1-9]/.test(text) &&
        !/First look/i.test(textOfRoot())
      );
    });
    return report as Report;
  };
  const textOfRoot = () => JSON.stringify(slack.roots()[0] ?? 'nothing yet: First look');

  test('the first look is posted while the agent works, and its report edits that post', async () => {
    // The agent is at work until it may answer, however long the other steps take.
    const mayAnswer = gate();
    const rootnote = await start((body) => mayAnswer.opened.then(() => paymentsReport(body)));
    const id = await alert(rootnote);
    await eventually('the first look is posted', () => slack.roots().length);
    expect(textOfRoot()).toMatch(/first look/i);
    expect(await shown(rootnote, id)).toMatchObject({ stage: 'first_look', mode: 'analyst' });
    const listed = await runRootnote(['reports', 'list'], { REDIS_URL: redis.url });
    expect(listed.stdout).toContain('first look');
    mayAnswer.open();
    expect(await reported(rootnote, id)).toMatchObject({ mode: 'agent', root_cause_service: 'payments' });
    expect(slack.roots()).toHaveLength(1);
    expect(slack.roots()[0]?.edits).toBeGreaterThan(0);
  });

  test.each([
    [
      'the agent fails',
      { script: () => fails(401, 'authentication_error'), env: {} },
      /model: .*\(401 authentication_error\)/,
    ],
    [
      'the investigation may cost too little',
      { script: () => says('{}'), env: { AGENT_MAX_COST_USD: '0.0001' } },
      /model: .*AGENT_MAX_COST_USD is 0\.0001/,
    ],
    [
      'the day may cost less than one investigation needs',
      { script: () => says('{}'), env: { AGENT_MAX_COST_USD_PER_DAY: '0.0001' } },
      /model: .*AGENT_MAX_COST_USD_PER_DAY is 0\.0001/,
    ],
  ])(
    'when %s, its verdict stays and the report says why; one post',
    async (_what, { script, env }, why) => {
      const rootnote = await start(script, env);
      const id = await alert(rootnote);
      const report = await reported(rootnote, id);
      expect(report).toMatchObject({ mode: 'analyst', root_cause_service: 'payments' });
      expect(report.gaps.join('\n')).toMatch(why);
      expect(slack.roots()).toHaveLength(1);
    },
    120_000,
  );

  test('kill -9 between first look and report: the report comes once and edits the post of the dead worker', async () => {
    let hang = true;
    const rootnote = await start((body) => (hang ? HANGS : paymentsReport(body)));
    const id = await alert(rootnote);
    await eventually('the first look is posted', () => slack.roots().length);
    await eventually('the agent is at work', () => api?.requests.length);
    const sessions = async () => (await runRootnote(['sessions', 'list'], { REDIS_URL: redis.url })).stdout;
    expect(await sessions()).toMatch(new RegExp(`ses_${id}  running, attempt 1, \\d turns so far  CheckoutSlow`));
    await rootnote.kill();
    hang = false;
    await eventually('it shows as interrupted', async () =>
      (await sessions()).includes(`ses_${id}  interrupted, attempt 1`),
    );
    const successor = await start(undefined);
    expect(await reported(successor, id)).toMatchObject({ mode: 'agent', root_cause_service: 'payments' });
    await successor.terminate();
    expect(await sessions()).toMatch(
      new RegExp(`ses_${id}  done, 1 turn, .*  CheckoutSlow: determined payments 0\\.\\d\\d`),
    );
    expect(slack.roots()).toHaveLength(1);
    expect(slack.roots()[0]?.edits).toBeGreaterThan(0);
  }, 180_000);

  test('without a model the report comes at once, as the only post', async () => {
    const rootnote = await start(undefined);
    const report = await reported(rootnote, await alert(rootnote));
    expect(report.gaps.join('\n')).toContain('ANTHROPIC_API_KEY is not set');
    await rootnote.terminate();
    expect(slack.roots()).toHaveLength(1);
    expect(slack.calls.filter(({ method }) => method === 'chat.update')).toEqual([]);
  });
});

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { fails } from '../support/messages-api/script.ts';
import { startMessagesApi, TEST_API_KEY } from '../support/messages-api/server.ts';
import { projectRoot } from '../support/programs.ts';
import { answerAgent } from '../support/resume-trial/scripted-agents.ts';
import { alertOf, alertsOf } from './alerts.ts';
import { inHouse, type House } from './house.ts';
import type { Outcome, Trial } from './scenario.ts';
import { soak } from './soak.ts';
import { drain } from './vital-signs.ts';

const ALERTS = 5;
/** The scripted model knows its case by this name, and the recording by this service. */
const modelCase = (number: number) => alertOf(`case-${number}`, { service: 'checkout', namespace: 'shop' });
const RECORDING = join(projectRoot(), 'test', 'fixtures', 'recordings', 'payments-pool');

/** R12: what Rootnote leans on is away, refuses or misbehaves, and for a while nothing happens. The model takes minutes, so the others have theirs beside it. */
export async function sufferOutages(trial: Trial): Promise<Outcome> {
  const others = async () => [await refuseWrites(trial), await misbehave(trial), await soak(trial)];
  const parts = (await Promise.all([loseModel(trial), others()])).flat();
  return {
    seen: Object.assign({}, ...parts.map(({ seen }) => seen)) as Outcome['seen'],
    failures: parts.flatMap(({ failures }) => failures),
  };
}

/** The model refuses everything for minutes: alerts are reported all the same, and by the model again when it is back. */
async function loseModel({ counts, random, topology, say }: Trial): Promise<Outcome> {
  let away = true;
  const overloaded = fails(529, 'overloaded_error');
  const api = await startMessagesApi((body) => (away ? overloaded : answerAgent(body)));
  const env = {
    ANTHROPIC_API_KEY: TEST_API_KEY,
    ANTHROPIC_BASE_URL: api.baseUrl,
    RECORDING_DIR: RECORDING,
    // A refused request is tried again for as long as this allows.
    INVESTIGATION_TIMEOUT_MS: '60000',
  };
  try {
    return await inHouse({ random, topology, env }, async (house) => {
      await house.start('serve');
      await house.start('work');
      for (let number = 1; number <= ALERTS; number++) {
        await house.sender.send(modelCase(number));
        await sleep(counts.modelAwayMs / ALERTS);
      }
      away = false;
      say(`the model is back after ${counts.modelAwayMs} ms; ${house.board.reports('webhook').size} reports so far`);
      const last = modelCase(ALERTS + 1);
      await house.sender.send(last);
      await drain(house);
      const modes = [...house.board.bodies().values()].map(({ mode }) => mode);
      const mode = house.board.bodies().get(last.name)?.mode;
      return {
        seen: {
          'model away, ms': counts.modelAwayMs,
          'reports without model': modes.filter((name) => name === 'analyst').length,
          'reports by model': modes.filter((name) => name === 'agent').length,
        },
        failures: [
          ...(mode === 'agent' ? [] : [`after the outage the report came from the ${mode ?? 'void'}`]),
          ...(await house.vitalSigns()),
        ],
      };
    });
  } finally {
    await api.close();
  }
}

/** Redis answers and takes no writes. */
function refuseWrites({ random, topology }: Trial): Promise<Outcome> {
  return inHouse({ random, topology }, async (house) => {
    const door = await house.start('serve');
    await house.start('work');
    const redis = new Redis(house.redis.url);
    try {
      const incidents = async () => (await redis.keys('*incident:inc_*')).length;
      await redis.config('SET', 'maxmemory', '1');
      const alerts = alertsOf('refused', ALERTS);
      const answers = await Promise.all(alerts.map((alert) => house.sender.ask(alert)));
      const kept = await incidents();
      const ready = await eventually(
        'not ready',
        () => door.status('/readyz'),
        (status) => status === 503,
        30_000,
      ).catch(() => 200);
      await redis.config('SET', 'maxmemory', '0');
      await house.sender.sendAll(alerts, ALERTS);
      await drain(house);
      const wrong = answers.filter(({ status }) => status !== 503).length;
      return {
        seen: { 'refused writes answered 503': answers.length - wrong },
        failures: [
          ...(wrong > 0 ? [`${wrong} alerts were not answered 503 while nothing could be written`] : []),
          ...(kept > 0 ? [`${kept} incidents were kept in part`] : []),
          ...(ready === 503 ? [] : ['/readyz stayed green while nothing could be written']),
          ...(await house.vitalSigns()),
        ],
      };
    } finally {
      redis.disconnect();
    }
  });
}

/** Destinations that close after accepting, ask for patience, refuse with 200, fail, and say nothing. */
function misbehave({ random, topology }: Trial): Promise<Outcome> {
  return inHouse({ random, topology, destinations: ['slack', 'webhook'] }, async (house: House) => {
    await house.start('serve');
    await house.start('work');
    const { slack, webhook } = house.board;
    slack.fail(
      'chat.postMessage',
      { kind: 'close-after-accepting' },
      { kind: 'status', status: 429, retryAfterSeconds: 1 },
      { kind: 'error', error: 'internal_error' },
      { kind: 'status', status: 503 },
      { kind: 'never-answer' },
    );
    webhook.answerWith('close', { status: 429, headers: { 'retry-after': '1' } }, 500, 'close');
    await house.sender.sendAll(alertsOf('rude', ALERTS), ALERTS);
    await drain(house);
    return {
      seen: { 'rude answers': 9, 'reports in Slack': house.board.reports('slack').size },
      failures: await house.vitalSigns(),
    };
  });
}

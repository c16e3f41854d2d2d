import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { alertOf } from './alerts.ts';
import { DOOMED_WORKER } from './doomed.ts';
import { inHouse, type House } from './house.ts';
import type { Outcome, Trial } from './scenario.ts';
import { standby } from './standby.ts';
import { drain } from './vital-signs.ts';

const STEPS = { claimed: 'before the post', posted: 'after the post', confirmed: 'before the ack' } as const;
type Step = keyof typeof STEPS;
/** Workers at a time that wait for their death. */
const CREW = 2;
const NEXT_ALERT_MS = 2500;
/** Alerts without a post: the channel takes one a second, and those that were killed come back after their lock. */
const MOST_WAITING = 10;
const STANDSTILL_MS = 600_000;

/**
 * R2: kill -9 exactly at each step of a post to Slack, with a webhook beside that works as it can. Each step has a house of its own: one channel takes one
 * message a second, from however many workers.
 */
export async function killAroundPosts(trial: Trial): Promise<Outcome> {
  const outcomes = await Promise.all((Object.keys(STEPS) as Step[]).map((step) => killAt(step, trial)));
  return {
    seen: Object.assign({}, ...outcomes.map(({ seen }) => seen)) as Outcome['seen'],
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

function killAt(step: Step, { counts: { postKills: kills }, random, topology, say }: Trial): Promise<Outcome> {
  return inHouse({ random, topology, destinations: ['slack', 'webhook'] }, async (house) => {
    const notedIn = await mkdtemp(join(tmpdir(), 'rn-stopped-'));
    try {
      await house.start('serve');
      await killEach(house, step, kills, notedIn);
      await house.start('work');
      await drain(house);
      const killed = (await readdir(notedIn)).length;
      say(`${killed} kills ${STEPS[step]}`);
      return {
        seen: {
          [`kills ${STEPS[step]}`]: killed,
          alerts: house.sender.ledger.length,
          'reports in Slack': house.board.reports('slack').size,
        },
        failures: [
          ...(killed < kills ? [`only ${killed} kills ${STEPS[step]}`] : []),
          ...(await house.vitalSigns()).map((fault) => `killed ${STEPS[step]}: ${fault}`),
        ],
      };
    } finally {
      await rm(notedIn, { recursive: true, force: true });
    }
  });
}

/** So many kills, by as many workers: each stops at the first post that no other one has stopped at, and is killed there. */
async function killEach(house: House, step: Step, kills: number, notedIn: string): Promise<void> {
  const env = { FAULT_STOP_AT: step, FAULT_NOTED_IN: notedIn };
  const next = standby(kills, CREW, () => house.start('work', env, { program: DOOMED_WORKER, until: 'alive' }));
  let left = kills;
  let alerts = 0;
  const kill = async () => {
    while (left > 0) {
      left -= 1;
      const doomed = await next();
      const hasStopped = () => doomed.child.output().includes('stopped at');
      const deadlineMs = Date.now() + STANDSTILL_MS;
      // An alert may go to another worker of the crew, so there are more until this one has had its own.
      while (!hasStopped()) {
        if (Date.now() > deadlineMs) throw new Error(`no worker stops at '${step}'`);
        const waiting = alerts - house.board.reports('slack').size;
        if (waiting < MOST_WAITING) await house.sender.send(alertOf(`${step}-${(alerts += 1)}`));
        await eventually('it stops', hasStopped, Boolean, NEXT_ALERT_MS).catch(() => undefined);
      }
      await doomed.kill();
    }
  };
  await Promise.all(Array.from({ length: CREW }, kill));
}

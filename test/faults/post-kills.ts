import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { projectRoot } from '../support/programs.ts';
import { alertOf } from './alerts.ts';
import { inHouse, type House } from './house.ts';
import type { Outcome, Trial } from './scenario.ts';
import { drain } from './vital-signs.ts';

export const DOOMED_WORKER = join(projectRoot(), 'dist', 'test', 'faults', 'doomed-worker.js');
/** Before the post, after the post, before the acknowledgement of the job. */
const STEPS = ['claimed', 'posted', 'confirmed'] as const;
const CREW = 3;
const NEXT_ALERT_MS = 2500;
const STANDSTILL_MS = 120_000;

/** R2: kill -9 exactly at each step of a post to Slack, with a webhook beside that works as it can. */
export function killAroundPosts({ counts, random, say }: Trial): Promise<Outcome> {
  return inHouse({ random, destinations: ['slack', 'webhook'] }, async (house) => {
    const noted = await mkdtemp(join(tmpdir(), 'rn-stopped-'));
    try {
      await house.start('serve');
      for (const step of STEPS) {
        await killAt(house, step, counts.postKills, noted);
        say(`${counts.postKills} kills at '${step}'`);
      }
      await Promise.all([house.start('work'), house.start('work')]);
      await drain(house);
      const killed = await readdir(noted);
      const at = (step: string) => killed.filter((name) => name.startsWith(step)).length;
      return {
        seen: {
          'kills before the post': at('claimed'),
          'kills after the post': at('posted'),
          'kills before the ack': at('confirmed'),
          alerts: house.sender.ledger.length,
          'reports in Slack': house.board.reports('slack').size,
        },
        failures: [
          ...STEPS.filter((step) => at(step) < counts.postKills).map((step) => `only ${at(step)} kills at '${step}'`),
          ...house.vitalSigns(),
        ],
      };
    } finally {
      await rm(noted, { recursive: true, force: true });
    }
  });
}

/** So many kills, by as many workers: each stops at the first post that no other one has stopped at, and is killed there. */
async function killAt(house: House, step: string, kills: number, noted: string): Promise<void> {
  const env = { FAULT_STOP_AT: step, FAULT_NOTED_IN: noted };
  let left = kills;
  let alerts = 0;
  const kill = async () => {
    while (left > 0) {
      left -= 1;
      const doomed = await house.start('work', env, { program: DOOMED_WORKER, until: 'started' });
      const hasStopped = () => doomed.child.output().includes('stopped at');
      const deadlineMs = Date.now() + STANDSTILL_MS;
      // An alert may go to another worker of the crew, so there are more until this one has had its own.
      while (!hasStopped()) {
        if (Date.now() > deadlineMs) throw new Error(`no worker stops at '${step}'`);
        await house.sender.send(alertOf(`${step}-${(alerts += 1)}`));
        await eventually('it stops', hasStopped, Boolean, NEXT_ALERT_MS).catch(() => undefined);
      }
      await doomed.kill();
    }
  };
  await Promise.all(Array.from({ length: CREW }, kill));
}

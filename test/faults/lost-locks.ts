import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { startPrometheusImitation } from '../support/prometheus-api.ts';
import { alertOf } from './alerts.ts';
import { DOOMED_WORKER } from './doomed.ts';
import { inHouse } from './house.ts';
import type { Member } from './process.ts';
import type { Outcome, Trial } from './scenario.ts';
import { drain } from './vital-signs.ts';

const SLOW_PROVIDER = '300000';
const TOLD_LIMIT_MS = 60_000;
const CHANNEL_FREE_MS = 1500;
const JOB_TOLD = /took these jobs over|another worker reported first/;
const DELIVERY_TOLD = /took (?:the delivery|these deliveries) over/;
const COUNTED = /job_locks_lost_total\{[^}]*\} [1-9]/;

/**
 * R9: a worker is frozen in the midst of an investigation; the one that takes it over is frozen between its claim of the delivery and the post; a third one
 * posts; and then both go on.
 */
export async function loseLocks({ counts, random, topology, say }: Trial): Promise<Outcome> {
  let hangs = true;
  const prometheus = await startPrometheusImitation(() => (hangs ? 'hang' : undefined));
  const env = { PROMETHEUS_URL: prometheus.url, PROMETHEUS_TIMEOUT_MS: SLOW_PROVIDER };
  try {
    return await inHouse({ random, topology, env, destinations: ['slack', 'webhook'] }, async (house) => {
      await house.start('serve');
      let told = 0;
      let counted = 0;
      let worker = await house.start('work');
      for (let round = 1; round <= counts.lostLocks; round++) {
        hangs = true;
        const asked = prometheus.asked.length;
        const { alert } = await house.sender.send(alertOf(`lock-${round}`));
        await eventually('it is at work', () => prometheus.asked.length > asked);
        worker.freeze();
        hangs = false;
        const second = await house.start('work', { FAULT_FREEZE_AT: 'claimed' }, { program: DOOMED_WORKER });
        await eventually('another one is about to post', () => second.child.output().includes('frozen at'));
        const third = await house.start('work');
        await eventually('a third one posts', () => house.board.reports('slack').has(alert.name));
        // Else the pace of the channel would hold back whoever posts as well.
        await sleep(CHANNEL_FREE_MS);
        worker.thaw();
        second.thaw();
        if (await says(worker, JOB_TOLD)) told += 1;
        if (await says(second, DELIVERY_TOLD)) told += 1;
        const isCounted = async () => COUNTED.test(await worker.text('/metrics').catch(() => ''));
        if (await eventually('it is counted', isCounted, Boolean, TOLD_LIMIT_MS).catch(() => false)) counted += 1;
        await drain(house);
        await Promise.all([worker.terminate(), second.terminate()]);
        worker = third;
        say(`lock ${round} lost`);
      }
      const untold = 2 * counts.lostLocks - told;
      const uncounted = counts.lostLocks - counted;
      return {
        seen: {
          'locks lost': 2 * counts.lostLocks,
          'told in the log': told,
          'investigations told by a metric': counted,
          'reports in Slack': house.board.reports('slack').size,
        },
        failures: [
          ...(untold > 0 ? [`${untold} workers did not say that they lost a lock`] : []),
          ...(uncounted > 0 ? [`${uncounted} lost locks were not counted in the metrics`] : []),
          ...(await house.vitalSigns()),
        ],
      };
    });
  } finally {
    await prometheus.stop();
  }
}

const says = ({ child }: Member, words: RegExp): Promise<boolean> =>
  eventually('it is told', () => words.test(child.output()), Boolean, TOLD_LIMIT_MS).catch(() => false);

import { eventually } from '../support/eventually.ts';
import { startPrometheusImitation } from '../support/prometheus-api.ts';
import { alertOf } from './alerts.ts';
import { inHouse } from './house.ts';
import type { Outcome, Trial } from './scenario.ts';
import { drain } from './vital-signs.ts';

const SLOW_PROVIDER = '300000';
const TOLD_LIMIT_MS = 60_000;
const TOLD = /took these jobs over|another worker reported first/;

/** R9: a worker is frozen in the midst of an investigation until another one has taken it over and reported, and goes on then. */
export async function loseLocks({ counts, random, say }: Trial): Promise<Outcome> {
  let hangs = true;
  const prometheus = await startPrometheusImitation(() => (hangs ? 'hang' : undefined));
  const env = { PROMETHEUS_URL: prometheus.url, PROMETHEUS_TIMEOUT_MS: SLOW_PROVIDER };
  try {
    return await inHouse({ random, env, destinations: ['slack', 'webhook'] }, async (house) => {
      await house.start('serve');
      let told = 0;
      let measured = 0;
      for (let round = 1; round <= counts.lostLocks; round++) {
        hangs = true;
        const asked = prometheus.asked.length;
        const frozen = await house.start('work');
        const { alert } = await house.sender.send(alertOf(`lock-${round}`));
        await eventually('it is at work', () => prometheus.asked.length > asked);
        frozen.freeze();
        hangs = false;
        const successor = await house.start('work');
        await eventually('another one reports', () => house.board.reports('webhook').has(alert.name));
        frozen.thaw();
        const isTold = () => TOLD.test(frozen.child.output());
        if (await eventually('it is told', isTold, Boolean, TOLD_LIMIT_MS).catch(() => false)) told += 1;
        if (/lock[s_]\w*lost|lost_lock/i.test(await frozen.text('/metrics').catch(() => ''))) measured += 1;
        await drain(house);
        await Promise.all([frozen.terminate(), successor.terminate()]);
        say(`lock ${round} lost`);
      }
      const seen = { 'locks lost': counts.lostLocks, 'told in the log': told, 'told by a metric': measured };
      return {
        seen: { ...seen, 'reports in Slack': house.board.reports('slack').size },
        failures: [
          ...(told < counts.lostLocks ? [`${counts.lostLocks - told} workers did not say that they lost a lock`] : []),
          ...(await house.vitalSigns()),
        ],
      };
    });
  } finally {
    await prometheus.stop();
  }
}

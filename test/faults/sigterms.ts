import { eventually } from '../support/eventually.ts';
import { alertsOf } from './alerts.ts';
import { inHouse } from './house.ts';
import type { Member, Role } from './process.ts';
import type { Outcome, Trial } from './scenario.ts';
import { standby } from './standby.ts';
import { drain } from './vital-signs.ts';

const ALERTS_A_SIGNAL = 8;
const AHEAD = 2;
const STANDSTILL_MS = 120_000;
const ROLES: readonly Role[] = ['all', 'serve', 'work', 'schedule'];
/** Short, so that what does not end by itself is found out soon. */
const GRACE_MS = 3000;

/** R7: workers are replaced by SIGTERM while they work; and SIGTERM reaches every role while Redis is down. */
export function terminate({ counts, random, topology, say }: Trial): Promise<Outcome> {
  // The lock is long: whoever leaves work behind instead of handing it back would be seen as stalled.
  return inHouse({ random, topology, env: { JOB_LOCK_MS: '15000' } }, async (house) => {
    const exits: { readonly code: number | null; readonly ms: number }[] = [];
    await house.start('serve');
    const startNext = standby(counts.sigterms + 1, AHEAD, () => house.start('work', {}, { until: 'alive' }));
    let worker = await startNext();
    const alerts = alertsOf('term', counts.sigterms * ALERTS_A_SIGNAL);
    for (let signal = 1; signal <= counts.sigterms; signal++) {
      const batch = alerts.slice((signal - 1) * ALERTS_A_SIGNAL, signal * ALERTS_A_SIGNAL);
      await house.sender.sendAll(batch, ALERTS_A_SIGNAL);
      const due = (signal - 1) * ALERTS_A_SIGNAL + Math.floor(random() * 4);
      await eventually(
        'the work gets on',
        () => house.board.reports('webhook').size,
        (n) => n >= due,
        STANDSTILL_MS,
      );
      exits.push(await worker.terminate());
      worker = await startNext();
      if (signal % 5 === 0) say(`${signal} workers replaced`);
    }
    await drain(house);
    const abandoned = house.members.flatMap(({ child }) => child.output().split('\n')).filter(tellsOfAbandoned);

    const startAll = (until: 'ready' | 'alive') =>
      Promise.all(ROLES.map((role) => house.start(role, { SHUTDOWN_GRACE_MS: String(GRACE_MS) }, { until })));
    const terminateAll = (members: readonly Member[]) => Promise.all(members.map((member) => member.terminate()));
    // Frozen: connections stay up, and whatever a part still wants to say goodbye with is never answered.
    const frozen = await startAll('ready');
    await house.redis.pause();
    const ends = [...(await terminateAll(frozen))];
    await house.redis.resume();
    const bereft = await startAll('ready');
    await house.redis.kill();
    // Closing a queue that was never connected is what hangs; one that was behaves.
    const withoutRedis = [...ends, ...(await terminateAll([...bereft, ...(await startAll('alive'))]))];
    await house.redis.restart();
    const all = [...exits, ...withoutRedis];
    return {
      seen: {
        SIGTERMs: exits.length,
        alerts: alerts.length,
        reports: house.board.reports('webhook').size,
        'slowest exit, ms': Math.max(...exits.map(({ ms }) => ms)),
        'SIGTERMs without Redis': withoutRedis.length,
        'slowest exit without Redis, ms': Math.max(...withoutRedis.map(({ ms }) => ms)),
      },
      failures: [
        ...all.flatMap(({ code }) => (code === 0 ? [] : [`an exit with ${code ?? 'SIGKILL, since it did not end'}`])),
        ...abandoned.map((line) => `a worker left a job behind: ${line}\n${storyOf(jobIdIn(line), house.members)}`),
        ...(await house.vitalSigns()),
      ],
    };
  });
}

const tellsOfAbandoned = (line: string) => line.includes('its worker is gone');
const jobIdIn = (line: string): string => /"jobId":"([^"]+)"/.exec(line)?.[1] ?? line;

/** What each process said of the job, and what the one that was told to stop said last. */
function storyOf(jobId: string, members: readonly Member[]): string {
  return members
    .map(({ child }) => child.output().trimEnd().split('\n'))
    .filter((lines) => lines.some((line) => line.includes(jobId)))
    .map((lines) => lines.filter((line, index) => line.includes(jobId) || index >= lines.length - 3).join('\n'))
    .join('\n---\n');
}

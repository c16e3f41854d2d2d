import { eventually } from '../support/eventually.ts';
import { alertOf, alertsOf } from './alerts.ts';
import { DOOMED_WORKER } from './doomed.ts';
import { inHouse } from './house.ts';
import type { Member } from './process.ts';
import type { Outcome, Trial } from './scenario.ts';
import { drain } from './vital-signs.ts';

const POISON = 'poison';
const MAX_STARTS = 5;
const CREW = 2;

/** R11: an alert whose investigation ends its worker every time, among others. */
export function poison({ counts, random, topology, say }: Trial): Promise<Outcome> {
  return inHouse({ random, topology }, async (house) => {
    await house.start('serve');
    const startWorker = (): Promise<Member> =>
      house.start('work', { FAULT_POISON: POISON }, { program: DOOMED_WORKER, until: 'started', mayDie: true });
    const crew = await Promise.all(Array.from({ length: CREW }, startWorker));
    await house.sender.send(alertOf(POISON));
    await house.sender.sendAll(alertsOf('healthy', counts.healthyJobs), CREW);
    let deaths = 0;
    await eventually(
      'all have their report',
      async () => {
        for (const [place, member] of crew.entries()) {
          if (!member.child.exited()) continue;
          deaths += 1;
          say(`worker ${deaths} died of it`);
          crew[place] = await startWorker();
        }
        return house.board.reports('webhook').size;
      },
      (reports) => reports >= counts.healthyJobs + 1 || deaths > 3 * MAX_STARTS,
      300_000,
    );
    await drain(house, deaths > 3 * MAX_STARTS ? 0 : undefined);
    const report = house.board.bodies().get(POISON);
    const says = report?.gaps.join(' ') ?? '';
    const honest = report?.status === 'inconclusive' && report.usage.termination_reason === 'given_up';
    return {
      seen: {
        'workers that died': deaths,
        'other alerts': counts.healthyJobs,
        reports: house.board.reports('webhook').size,
      },
      failures: [
        ...(deaths <= MAX_STARTS ? [] : [`it was started ${deaths} times`]),
        ...(deaths > 0 ? [] : ['the poison killed nobody']),
        ...(honest ? [] : [`its report does not say that it was given up: ${report?.status}, ${says.slice(0, 200)}`]),
        ...(await house.vitalSigns()),
      ],
    };
  });
}

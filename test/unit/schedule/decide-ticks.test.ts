import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { unrunInWords, type Job } from '../../../src/domain/check.ts';
import type { TickState } from '../../../src/domain/check-ticks.ts';
import { checkId, decideTicks, planJob } from '../../../src/schedule/decide-ticks.ts';
import { checkIncident } from '../../../src/schedule/scheduler.ts';
import { makeJob } from '../../support/check-jobs.ts';

const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-29T10:00:00Z');
const MAX_RUN_MS = 10 * MINUTE_MS;
const minute = (number: number) => START + number * MINUTE_MS;

/** One store without a store: what a scheduler decides at each look. */
function scheduling(changes: Partial<Job> = {}) {
  let state: TickState | undefined;
  const own = planJob(makeJob(changes));
  return {
    state: () => state,
    look: (atMs: number, { isRunning = false, with: changed }: { isRunning?: boolean; with?: Partial<Job> } = {}) => {
      const planned = changed ? planJob(makeJob({ ...changes, ...changed })) : own;
      const decision = decideTicks(planned, { state, isRunning }, atMs, MAX_RUN_MS);
      if (decision) state = decision.state;
      return decision;
    },
  };
}

describe('D5: what becomes of the ticks of a check', () => {
  test('a new check begins with its own minute, and its past is nobody’s loss', () => {
    const { look } = scheduling();
    const first = look(minute(0) + 12_345);
    expect(first?.run).toEqual({ tickMs: minute(0), tick: { job: makeJob(), lateMs: 0, unrun: [] } });
    expect(first?.unrun).toEqual([]);
    expect(look(minute(0) + 59_999)).toBeUndefined();
    expect(look(minute(1))?.run?.tickMs).toBe(minute(1));
  });

  test('however many schedulers look, whenever and with whatever clocks within a minute, each tick is run, missed or skipped exactly once', () => {
    const beats = fc.array(
      fc.record({
        // Mostly on time; now and then nobody was there for a while.
        afterMs: fc.oneof(
          { weight: 8, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
          fc.integer({ min: 0, max: 7_200_000 }),
        ),
        skewMs: fc.integer({ min: -60_000, max: 60_000 }),
        isRunning: fc.boolean(),
      }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(beats, fc.constantFrom(0, 5, 60), (looks, catchUpMinutes) => {
        const { look, state } = scheduling({ catchUpMinutes });
        look(minute(0));
        const runs: number[] = [];
        let unrun = 0;
        let atMs = minute(0);
        for (const { afterMs, skewMs, isRunning } of looks) {
          atMs += afterMs;
          const decision = look(atMs + skewMs, { isRunning });
          if (decision?.run) runs.push(decision.run.tickMs);
          unrun += (decision?.unrun ?? []).reduce((sum, { count }) => sum + count, 0);
        }
        const decided = ((state()?.throughMs ?? 0) - minute(0)) / MINUTE_MS;
        expect(new Set(runs).size).toBe(runs.length);
        expect(runs.length + unrun).toBe(decided);
      }),
    );
  });

  test('after an outage the newest tick runs late, and its report tells the others', () => {
    const { look } = scheduling({ cron: '0 * * * *' });
    look(minute(0));
    const back = look(minute(3 * 60 + 20) + 5000);
    const missed = { why: 'missed', count: 2, fromMs: minute(60), toMs: minute(120) } as const;
    expect(back?.run).toEqual({
      tickMs: minute(180),
      tick: { job: makeJob({ cron: '0 * * * *' }), lateMs: 20 * MINUTE_MS + 5000, unrun: [missed] },
    });
    expect(back?.unrun).toEqual([missed]);
    expect(unrunInWords(missed)).toBe(
      '2 ticks were missed between 2026-11-29T11:00Z and 2026-11-29T12:00Z: no scheduler was running or could reach Redis',
    );
    expect(look(minute(240))?.run?.tick).toMatchObject({ lateMs: 0, unrun: [] });
  });

  test('one that is older than the check allows is missed, too, and the next run tells it', () => {
    const { look } = scheduling({ cron: '0 * * * *', catchUpMinutes: 15 });
    look(minute(0));
    expect(look(minute(80))).toMatchObject({ run: undefined, unrun: [{ why: 'missed', count: 1 }] });
    expect(look(minute(81))).toMatchObject({ run: undefined, unrun: [] });
    expect(look(minute(120))?.run?.tick.unrun).toEqual([
      { why: 'missed', count: 1, fromMs: minute(60), toMs: minute(60) },
    ]);
  });

  test('while the run before has not ended a tick is skipped, unless that run is older than it may be', () => {
    const { look } = scheduling({ cron: '*/4 * * * *' });
    look(minute(0));
    for (const number of [4, 8]) {
      expect(look(minute(number), { isRunning: true })).toMatchObject({
        run: undefined,
        unrun: [{ why: 'overlap', count: 1, fromMs: minute(number) }],
      });
    }
    const next = look(minute(12), { isRunning: true });
    const skipped = { why: 'overlap', count: 2, fromMs: minute(4), toMs: minute(8) } as const;
    expect(next?.run).toMatchObject({ tickMs: minute(12), tick: { unrun: [skipped] } });
    expect(unrunInWords({ ...skipped, count: 1 })).toBe(
      '1 tick was skipped at 2026-11-29T10:04Z: the run before had not ended',
    );
  });

  test('another schedule begins with its own minute: ticks that it would have had are not missed', () => {
    const { look } = scheduling({ cron: '0 * * * *' });
    look(minute(0));
    const changed = look(minute(95), { with: { cron: '*/5 * * * *' } });
    expect(changed).toMatchObject({ run: { tickMs: minute(95), tick: { unrun: [] } }, unrun: [] });
  });

  test('while schedulers of two versions take turns, no tick is run twice', () => {
    const { look } = scheduling();
    const versions: readonly Partial<Job>[] = [{ cron: '* * * * *' }, { cron: '*/2 * * * *' }];
    const runs = Array.from({ length: 10 }, (_, n) =>
      versions.map((version) => look(minute(n), { with: version })?.run?.tickMs),
    );
    const ticks = runs.flat().filter((tick) => tick !== undefined);
    expect(ticks).toEqual(Array.from({ length: 10 }, (_, n) => minute(n)));
  });

  test('a clock that was far ahead for a while keeps nothing from running once it is right', () => {
    const { look, state } = scheduling();
    look(minute(0));
    look(minute(24 * 60));
    expect(look(minute(1))?.run?.tickMs).toBe(minute(1));
    expect(state()?.throughMs).toBe(minute(1));
    expect(look(minute(2))).toMatchObject({ run: { tickMs: minute(2) }, unrun: [] });
  });

  test('a disabled check has no ticks, and none are missed when it is enabled', () => {
    const { look } = scheduling({ enabled: false });
    expect(look(minute(0))).toMatchObject({ run: undefined, unrun: [] });
    expect(look(minute(1))).toMatchObject({ run: undefined, unrun: [] });
    expect(look(minute(30), { with: { enabled: true } })).toMatchObject({ run: { tickMs: minute(30) }, unrun: [] });
  });

  test('the first run at or after the time of a digest is one, of everything since the one before', () => {
    const { look } = scheduling({ cron: '7 * * * *', post: 'digest', digest: '0 12 * * *' });
    const runs = Array.from({ length: 28 * 60 }, (_, n) => look(minute(n))?.run).filter((run) => run !== undefined);
    const digests = runs.filter(({ tick }) => tick.digestSinceMs !== undefined);
    expect(digests.map(({ tickMs, tick }) => [tickMs, tick.digestSinceMs])).toEqual([
      [minute(127), minute(0)],
      [minute(127 + 24 * 60), minute(127)],
    ]);
  });

  test('the incident of a tick has the same id in every replica, and another for every minute', () => {
    const tick = { job: makeJob({ labels: { service: 'shop' } }), lateMs: 0, unrun: [] };
    expect(checkIncident(tick, minute(0))).toMatchObject({
      id: 'check_golden_202611291000',
      kind: 'check',
      service: 'shop',
      title: 'Golden signals',
      startsAtMs: minute(0),
      check: tick,
    });
    expect(checkId('golden', minute(1))).toBe('check_golden_202611291001');
  });
});

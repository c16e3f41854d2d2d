import { createHash } from 'node:crypto';
import type { StormSummary } from '../domain/storm.ts';
import type { Logger } from '../platform/logger.ts';
import { redisRefusal } from '../platform/redis-trouble.ts';
import type { Deliveries } from '../queue/deliveries/deliveries.ts';
import type { StormStore } from '../sessions/storm-store.ts';

const TELL_EVERY_MS = 30_000;
const LOOK_EVERY_MS = 5000;
/** A storm that is over is told until its last report is there, but not longer than this after the last incident joined. */
const TOLD_FOR_MS = 3_600_000;

export interface StormTelling {
  readonly storms: StormStore;
  readonly deliveries: Pick<Deliveries, 'scheduleStorm'>;
  readonly log: Logger;
  readonly everyMs?: number;
}

/**
 * Schedules a new edition of the summary of every storm that has changed since the last one. A process that dies in between leaves an edition that is
 * scheduled and not noted: the next one schedules it again, which changes nothing.
 */
export async function tellStorms({ storms, deliveries, log, everyMs = TELL_EVERY_MS }: StormTelling): Promise<void> {
  const told = await storms.listTold();
  if (told.length === 0 || !(await storms.takeTurn(everyMs))) return;
  for (const id of told) {
    const summary = await storms.getSummary(id);
    if (summary) await tellIfChanged({ storms, deliveries, log }, summary);
    if (!summary || isTold(summary)) await storms.close(id);
  }
}

async function tellIfChanged({ storms, deliveries, log }: StormTelling, summary: StormSummary): Promise<void> {
  const edition = await storms.getEdition(summary.id);
  const digest = digestOf(summary);
  if (digest === edition.digest) return;
  const number = edition.number + 1;
  await deliveries.scheduleStorm(summary, `storm-${number}`);
  await storms.saveEdition(summary.id, { number, digest });
  const { id, incidents, alerts, investigations, isOver } = summary;
  const facts = { stormId: id, incidents, alerts, listed: investigations.length, edition: number };
  if (isOver) log.info(facts, 'the alert storm is over');
  else if (edition.number > 0) log.info(facts, 'the alert storm has changed');
  else log.warn(facts, 'an alert storm has begun');
}

/** Incidents that end one by one are no news of the storm: what is told next shows them. */
function digestOf({ investigations, firing: _firing, ...rest }: StormSummary): string {
  const told = { ...rest, investigations: investigations.map(({ isFiring: _isFiring, ...one }) => one) };
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 16);
}

function isTold({ isOver, updatedAtMs, investigations }: StormSummary): boolean {
  if (!isOver) return false;
  const isSettled = investigations.every(({ state }) => state === 'reported' || state === 'not-investigated');
  return isSettled || Date.now() - updatedAtMs > TOLD_FOR_MS;
}

/** Looks for storms now and every few seconds. Of looks that fail one after another, the first is logged; the next one tries again. */
export function startStormTeller(telling: StormTelling): { stop(): void } {
  let isLooking = false;
  let hasFailed = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      await tellStorms(telling);
      hasFailed = false;
    } catch (error) {
      const err = redisRefusal(error) ?? (error instanceof Error ? error.message : String(error));
      if (!hasFailed) telling.log.warn({ err }, 'whether there is a storm to tell of cannot be seen now');
      hasFailed = true;
    } finally {
      isLooking = false;
    }
  };
  void look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

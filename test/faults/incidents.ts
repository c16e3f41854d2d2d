import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import type { TestRedis } from '../support/redis.ts';

/** An incident as the product's store has it. */
export interface StoredIncident {
  readonly id: string;
  /** Of the alert that it stands for. */
  readonly name: string;
  readonly stage: string;
}

/** More than any scenario makes. */
const ALL = 100_000;

/** Every incident that an alert has opened. Needs a Redis that runs. */
export async function storedIncidents({ target }: TestRedis): Promise<readonly StoredIncident[]> {
  const redis = openWorkerRedis(target, silentLogger());
  try {
    const store = createIncidentStore(redis, 'clusterNodes' in target ? '{rootnote}' : 'rootnote');
    const ids = (await store.listIds(ALL)).filter((id) => id.startsWith('inc_'));
    const lives = await Promise.all(ids.map((id) => store.getLife(id)));
    return lives.flatMap((life, index) => {
      const id = ids[index] ?? '';
      return life ? [{ id, name: life.incident.labels['case'] ?? id, stage: life.stage }] : [];
    });
  } finally {
    redis.disconnect();
  }
}

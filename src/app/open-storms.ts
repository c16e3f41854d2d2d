import type { Redis } from 'ioredis';
import type { Config } from '../config/schema.ts';
import { readTopologyFile } from '../providers/topology-file.ts';
import { createStormStore, type StormStore } from '../sessions/storm-store.ts';
import type { Stores } from './stores.ts';

/** Storms as they are configured; who calls whom is what TOPOLOGY_FILE says. Throws an `Error` that says what is wrong with that file. */
export function openStorms(config: Config, redis: Redis, { incidents, reports }: Stores): StormStore {
  const { TOPOLOGY_FILE: file, STORM_THRESHOLD: threshold, STORM_WINDOW_SECONDS: windowSeconds } = config;
  return createStormStore(redis, config.REDIS_PREFIX, {
    incidents,
    reports,
    topology: file === undefined ? { services: [], edges: [] } : readTopologyFile(file).topology,
    rules: { threshold, windowMs: windowSeconds * 1000 },
  });
}

import type { Redis } from 'ioredis';
import { readTopologyFile } from '../providers/topology-file.ts';
import { createStormStore, type StormStore } from '../sessions/storm-store.ts';
import type { Process } from './process.ts';
import type { Stores } from './stores.ts';

type StormParts = Pick<Process, 'config' | 'routing' | 'destinations'>;

/**
 * Storms as they are configured. Who calls whom is what TOPOLOGY_FILE says, and not what the memory has: a model may have written that, and what it says here
 * would leave incidents without an investigation. Throws an `Error` that says what is wrong with that file.
 */
export function openStorms(parts: StormParts, redis: Redis, { incidents, reports }: Stores): StormStore {
  const { config, routing } = parts;
  const { TOPOLOGY_FILE: file, STORM_THRESHOLD: threshold, STORM_WINDOW_SECONDS: windowSeconds } = config;
  const rules = { threshold, windowMs: windowSeconds * 1000 };
  return createStormStore(redis, config.REDIS_PREFIX, {
    incidents,
    reports,
    topology: file === undefined ? { services: [], edges: [] } : readTopologyFile(file).topology,
    destinationsFor: (incident) => routing.destinationsFor(incident),
    // What is only a line of the summary needs somebody who gets the summary.
    rules: isSummaryTold(parts) ? rules : { ...rules, mostInvestigations: Number.MAX_SAFE_INTEGER },
  });
}

function isSummaryTold({ routing, destinations }: StormParts): boolean {
  const told = new Set(routing.routesForStorms().map(({ destination }) => destination));
  return destinations.some((destination) => 'deliverStorm' in destination && told.has(destination.name));
}

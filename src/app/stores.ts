import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import { createCheckStore, type CheckStore } from '../sessions/check-store.ts';
import { createIncidentStore, type IncidentStore } from '../sessions/incident-store.ts';
import { createReportStore, type ReportStore } from '../sessions/report-store.ts';
import { createResumeStore, type ResumeStore } from '../sessions/resume-store.ts';
import { createUpdateStore, type UpdateStore } from '../sessions/update-store.ts';

/** What a worker reads and keeps, on one connection. */
export interface Stores {
  readonly incidents: IncidentStore;
  readonly checks: CheckStore;
  readonly reports: ReportStore;
  readonly resume: ResumeStore;
  readonly updates: UpdateStore;
}

export function openStores(redis: Redis, prefix: string, log: Logger): Stores {
  return {
    incidents: createIncidentStore(redis, prefix),
    checks: createCheckStore(redis, prefix),
    reports: createReportStore(redis, prefix),
    resume: createResumeStore(redis, prefix, log),
    updates: createUpdateStore(redis, prefix),
  };
}

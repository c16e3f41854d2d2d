import type { Job } from '../../src/domain/check.ts';

/** A check of every minute, as a file without further keys would be read. */
export function makeJob(changes: Partial<Job> = {}): Job {
  return {
    name: 'golden',
    description: 'Golden signals',
    cron: '* * * * *',
    timezone: 'UTC',
    severity: 'info',
    enabled: true,
    labels: {},
    skills: [],
    destinations: [],
    post: 'change',
    digest: undefined,
    model: 'when-found',
    budget: {},
    catchUpMinutes: 60,
    probes: [],
    prompt: 'Look at errors and latency.',
    ...changes,
  };
}

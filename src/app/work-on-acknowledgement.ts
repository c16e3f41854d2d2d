import type { Incident } from '../domain/incident.ts';
import { reportId } from '../investigate/write-report.ts';
import type { JobContext } from '../queue/job-worker.ts';
import type { LaterDeps } from './later-work.ts';

/** How it is told that somebody has taken an incident on: in the post that is there. A report that is still to come says so by itself. */
export function createAcknowledger({ reports, updates, deliveries }: LaterDeps) {
  return async (incident: Incident, { jobId }: JobContext): Promise<void> => {
    if (!incident.acknowledged || incident.state === 'resolved') return;
    const report = await reports.getReport(reportId(incident.id));
    if (!report || report.stage === 'first_look') return;
    const { by } = incident.acknowledged;
    const news = by === undefined ? 'Somebody has taken it on' : `Taken on by ${by}`;
    await deliveries.schedule(incident, `update-${await updates.allot(incident.id, jobId, news)}`);
  };
}

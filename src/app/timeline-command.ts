import { writeFile } from 'node:fs/promises';
import type { Config } from '../config/schema.ts';
import { renderTimeline } from '../destinations/timeline/render-timeline.ts';
import { reportId } from '../investigate/write-report.ts';
import { createReportStore } from '../sessions/report-store.ts';
import { connectOnce, openRedis } from './open-redis.ts';

/**
 * `rootnote reports show ID --timeline FILE`: draws the evidence of a stored report in time, as PNG, the same that Slack gets. ID of the report, the session
 * or the incident. Returns what is wrong, undefined when the file is written. Throws RedisUnreachable, and what the file system throws.
 */
export async function writeTimeline(
  config: Config,
  { id, file }: { readonly id: string; readonly file: string },
  say: (line: string) => void,
): Promise<string | undefined> {
  const opened = await openRedis(config, say);
  try {
    const redis = await connectOnce(opened.target);
    try {
      const reports = createReportStore(redis, config.REDIS_PREFIX);
      const report = await reports.getReport(reportId(id.replace(/^(?:rep|ses)_/, '')));
      if (report === undefined) return `nothing is stored under ${id}; see rootnote reports list`;
      const png = await renderTimeline(report);
      if (png === undefined) return 'the timeline cannot be drawn';
      await writeFile(file, png, { mode: 0o600 });
      return undefined;
    } finally {
      redis.disconnect();
    }
  } finally {
    await opened.stop();
  }
}

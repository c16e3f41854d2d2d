import { writeFile } from 'node:fs/promises';
import type { Config } from '../config/schema.ts';
import { incidentOfWork } from '../domain/work-id.ts';
import { renderTimeline } from '../destinations/timeline/render-timeline.ts';
import { reportId } from '../investigate/write-report.ts';
import { findId } from './find-id.ts';
import { openReading } from './incident-view.ts';
import { withRedis } from './open-redis.ts';

/**
 * `rootnote reports show ID --timeline FILE`: draws the evidence of a stored report in time, as PNG, the same that Slack gets. ID of the report, the session
 * or the incident. Returns what is wrong, undefined when the file is written. Throws RedisUnreachable, and what the file system throws.
 */
export function writeTimeline(
  config: Config,
  { id, file }: { readonly id: string; readonly file: string },
  say: (line: string) => void,
): Promise<string | undefined> {
  return withRedis(config, say, async (redis) => {
    const reading = openReading(redis, config.REDIS_PREFIX);
    const report = await reading.reports.getReport(reportId(incidentOfWork(await findId(reading, id))));
    if (report === undefined) return `nothing is stored under ${id}; see rootnote reports list`;
    const png = await renderTimeline(report);
    if (png === undefined) return 'the timeline cannot be drawn';
    await writeFile(file, png, { mode: 0o600 });
    say(`rootnote: the timeline of ${report.id} is in ${file}`);
    return undefined;
  });
}

import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { createDeliveries } from '../../src/queue/deliveries/deliveries.ts';
import { reportContent } from './delivery-content.ts';

/**
 * A worker that stops at a step and waits to be killed. Incident ids end in the step: `inc_1_claimed` stops before its post,
 * `inc_2_posted` before the confirmation, `inc_3_confirmed` before the job is acknowledged. Prints a line for each.
 */
const { socketPath, prefix, apiUrl, botToken, channel } = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
const place = { apiUrl: apiUrl ?? '', botToken: botToken ?? '', channel: channel ?? '' };
const slack = createSlackDestination({ ...place, postEveryMs: 0 });

const deliveries = await createDeliveries({
  redisTarget: { socketPath: socketPath ?? '' },
  prefix: prefix ?? '',
  destinations: [slack],
  concurrency: 200,
  loadContent: (id) => Promise.resolve(reportContent({ id: `rep_${id}` }, { id })),
  redact: (text) => text,
  log: silentLogger(),
  pause: async (step, { subjectId }) => {
    if (!subjectId.endsWith(step)) return;
    process.stdout.write(`stopped ${subjectId}\n`);
    await new Promise(() => undefined);
  },
});
deliveries.startWorker();

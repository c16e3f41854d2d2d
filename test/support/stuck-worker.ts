import { silentLogger } from '../../src/platform/logger.ts';
import { startInvestigationWorker } from '../../src/queue/investigation-worker.ts';

/** A worker process whose investigations never end: says `started` and waits to be killed. Arguments: Redis URL, prefix. */
const [url = '', prefix = ''] = process.argv.slice(2);

await startInvestigationWorker({
  redis: { url },
  prefix,
  concurrency: 1,
  timeoutMs: 600_000,
  log: silentLogger(),
  redact: (text) => text,
  investigate: () => {
    console.log('started');
    return new Promise(() => undefined);
  },
  onResolved: () => Promise.resolve(),
  onPoison: () => Promise.resolve(),
});

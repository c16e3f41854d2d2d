import { silentLogger } from '../../src/platform/logger.ts';
import { createDeliveries } from '../../src/queue/deliveries/deliveries.ts';
import { scriptedDestination } from './scripted-destination.ts';

/** A worker that dies while it loads what it is to deliver, as for a text that no memory suffices for. Ends by itself when nothing is left. */
const { socketPath, prefix } = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;

const deliveries = await createDeliveries({
  redisTarget: { socketPath: socketPath ?? '' },
  prefix: prefix ?? '',
  destinations: [scriptedDestination('chat').destination],
  lockMs: 1000,
  loadContent: () => {
    process.stdout.write('taken\n');
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  },
  redact: (text) => text,
  log: silentLogger(),
  onOutcome: () => process.exit(0),
});
deliveries.startWorker();

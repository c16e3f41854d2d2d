import { expect, test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { incidentOf } from '../../support/incidents.ts';
import { startKubernetesImitation } from '../../support/kubernetes/api-server.ts';
import { podOf } from '../../support/kubernetes/objects.ts';
import { kubernetesProvider } from '../../support/kubernetes/provider.ts';

const PAGES = 10;
const PAGE = 500;
const APPLIED = { 'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(10_000) };

/** Heap in use after a collection, MB. */
function heapMb(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1e6;
}

/** One page as an API server sends it: 500 pods of 10 kB, most of it bookkeeping. */
function page(number: number): object {
  const items = Array.from({ length: PAGE }, (_, i) => podOf({ name: `web-${number}-${i}`, annotations: APPLIED }));
  const metadata = number + 1 < PAGES ? { continue: String(number + 1) } : {};
  return { kind: 'PodList', apiVersion: 'v1', metadata, items };
}

test('5,000 pods of 10 kB are never there as they came: a page at a time, and of it what is looked at', async () => {
  const heaps: number[] = [];
  const server = await startKubernetesImitation({
    reply: ({ plural, namespace, params }) => {
      if (plural !== 'pods' || namespace !== 'shop') return undefined;
      heaps.push(heapMb());
      return { json: page(Number(params.get('continue') ?? 0)) };
    },
  });
  const provider = kubernetesProvider(server);
  const startsAtMs = Date.parse('2026-01-01T10:00:00Z');
  const incident = incidentOf({ alertname: 'Down', namespace: 'shop' }, { startsAtMs });
  const telemetry = await provider.gather(
    incident,
    { fromMs: startsAtMs - 3_600_000, toMs: startsAtMs },
    new AbortController().signal,
  );
  await server.stop();
  expect(telemetry.objects).toHaveLength(PAGES * PAGE);
  expect(telemetry.rawCharacters).toBeGreaterThan(50_000_000);
  expect(heaps).toHaveLength(PAGES);
  // Forty megabytes came between the third page and the last.
  expect((heaps.at(-1) ?? 0) - (heaps[2] ?? 0)).toBeLessThan(15);
});

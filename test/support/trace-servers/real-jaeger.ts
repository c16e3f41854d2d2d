import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { stringify } from 'yaml';
import { runProgram } from '../../../src/platform/run-program.ts';
import { startChild, waitUntilReady } from '../child.ts';
import { skipSuite } from '../describe-if.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { toOtlp } from './test-spans.ts';
import type { TraceTestServer } from './trace-test-server.ts';

const COMMAND = process.env['ROOTNOTE_JAEGER'] ?? 'jaeger';

/** `describe` for suites that need Jaeger 2. Debian has no package of it, so the suite is skipped without it, with CI set as well. */
export async function describeIfJaeger(): Promise<typeof describe | typeof describe.skip> {
  try {
    await runProgram(COMMAND, ['version'], { timeoutMs: 30_000 });
    return describe;
  } catch {
    return skipSuite('no `jaeger` on PATH or in ROOTNOTE_JAEGER; see test/support/trace-servers/README.md');
  }
}

/** Storages that come with the program. */
const STORAGES = { memory: { memory: { max_traces: 10_000 } }, badger: { badger: { ephemeral: true } } } as const;

/** Jaeger 2 on loopback; spans come in by OTLP. */
export async function startJaeger(storage: keyof typeof STORAGES): Promise<TraceTestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'rn-jaeger-'));
  const [query, grpc, otlp] = [await freePort(), await freePort(), await freePort()].map((port) => `127.0.0.1:${port}`);
  await writeFile(join(folder, 'jaeger.yaml'), stringify(configOf(STORAGES[storage], query, grpc, otlp)));
  const child = await startChild(COMMAND, ['--config', join(folder, 'jaeger.yaml')], { cwd: folder });
  const url = `http://${query}`;
  await waitUntilReady(child, 'jaeger', async () => (await fetch(`${url}/api/services`)).ok);
  return {
    url,
    load: async (spans) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(toOtlp(spans));
      const answer = await fetch(`http://${otlp}/v1/traces`, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`jaeger refused the spans: ${await answer.text()}`);
      for (const id of new Set(spans.map(({ traceId }) => traceId))) await untilThere(url, id);
    },
    stop: async () => {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilThere(url: string, id: string): Promise<void> {
  await eventually(`jaeger has trace ${id}`, async () => (await fetch(`${url}/api/traces/${id}`)).ok);
}

function configOf(storage: object, query: string | undefined, grpc: string | undefined, otlp: string | undefined) {
  return {
    service: {
      extensions: ['jaeger_storage', 'jaeger_query'],
      pipelines: { traces: { receivers: ['otlp'], exporters: ['jaeger_storage_exporter'] } },
      telemetry: { metrics: { level: 'none' }, logs: { level: 'warn' } },
    },
    extensions: {
      jaeger_query: { storage: { traces: 'traces' }, http: { endpoint: query }, grpc: { endpoint: grpc } },
      jaeger_storage: { backends: { traces: storage } },
    },
    receivers: { otlp: { protocols: { http: { endpoint: otlp } } } },
    exporters: { jaeger_storage_exporter: { trace_storage: 'traces' } },
  };
}

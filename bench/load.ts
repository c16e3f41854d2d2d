import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LoadReply, LoadRequest } from './load-worker.ts';
import { endWithUsage, readOptions } from './options.ts';
import { inventIncident, type Needle, type SyntheticIncident } from './synthetic-incident.ts';

/**
 * `npm run bench:load [-- --lines N] [-- --series N] [-- --memory MB] [-- --json]`: what one very large incident does to a worker. A recording of
 * that size is written to a temporary folder, and a process of its own investigates it as a worker would: memory at its peak, the longest
 * time that the event loop was held up (webhooks wait so long), and whether the planted facts still stand in the brief.
 */
const USAGE = 'npm run bench:load -- [--lines N] [--series N] [--memory MB] [--json]';

const values = readOptions(USAGE, {
  lines: { type: 'string', default: '1000000' },
  series: { type: 'string', default: '5000' },
  memory: { type: 'string', default: '1024' },
  json: { type: 'boolean', default: false },
});
const size = { lines: wholeNumber('lines'), series: wholeNumber('series'), events: 500 };
const memoryMb = wholeNumber('memory');

function wholeNumber(name: 'lines' | 'series' | 'memory'): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 1) endWithUsage(`--${name} must be a whole number above 0`, USAGE);
  return value;
}

/** Written in a function of its own, so that the telemetry is gone before anything is measured. Returns the words to look for. */
async function writeRecording(directory: string): Promise<readonly Needle[]> {
  const invented = inventIncident(1, size);
  const { telemetry } = invented;
  await writeFile(join(directory, 'alert.json'), JSON.stringify(alertBody(invented)));
  await writeFile(join(directory, 'topology.json'), JSON.stringify(telemetry.topology));
  await writeLines(directory, 'metrics.csv', samplesOf(invented));
  await writeLines(directory, 'logs.jsonl', jsonLines(telemetry.logs));
  await writeLines(directory, 'events.jsonl', jsonLines(telemetry.events));
  await writeLines(directory, 'objects.jsonl', jsonLines(telemetry.objects));
  await writeLines(directory, 'changes.jsonl', jsonLines(telemetry.changes));
  return invented.needles;
}

function alertBody({ incident }: SyntheticIncident) {
  const { labels, annotations } = incident;
  const startsAt = new Date(incident.startsAtMs).toISOString();
  const alert = { status: 'firing', labels, annotations, startsAt, endsAt: '0001-01-01T00:00:00Z', generatorURL: '' };
  return {
    version: '4',
    status: 'firing',
    receiver: incident.receiver,
    groupKey: '{}',
    groupLabels: {},
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL: '',
    alerts: [{ ...alert, fingerprint: '0000000000000001' }],
  };
}

function* samplesOf({ telemetry }: SyntheticIncident): Generator<string> {
  yield 'time,service,metric,value\n';
  for (const { service, metric, timesMs, values: samples } of telemetry.series) {
    yield Array.from(timesMs, (timeMs, i) => `${timeMs / 1000},${service},${metric},${samples[i] ?? 0}\n`).join('');
  }
}

/** Times go by the name that recordings give them. */
function* jsonLines(records: readonly object[]): Generator<string> {
  for (const record of records) {
    const { timeMs, objectKind, objectName, ...rest } = record as Readonly<Record<string, unknown>>;
    const time = timeMs === undefined ? {} : { time: timeMs };
    const object = objectKind === undefined ? {} : { object: { kind: objectKind, name: objectName } };
    yield `${JSON.stringify({ ...time, ...object, ...rest })}\n`;
  }
}

const writeLines = (directory: string, name: string, lines: Iterable<string>) =>
  pipeline(Readable.from(lines), createWriteStream(join(directory, name)));

async function investigateApart(request: LoadRequest): Promise<LoadReply> {
  const worker = fork(new URL('./load-worker.js', import.meta.url));
  worker.send(request);
  const [reply] = (await Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(([code, signal]) => {
      throw new Error(`the worker went down with ${String(signal ?? code)}`);
    }),
  ])) as [LoadReply];
  worker.disconnect();
  return reply;
}

const directory = await mkdtemp(join(tmpdir(), 'rootnote-load-'));
try {
  const needles = await writeRecording(directory);
  const { briefText, ...measured } = await investigateApart({ directory, memoryMb });
  const lost = needles.filter(({ pattern }) => !pattern.test(briefText)).map(({ what }) => what);
  const result = { bench: 'load', ...size, memoryMb, ...measured, lost };
  const text = [
    `${size.lines} log lines and ${size.series} series, funnel within ${memoryMb} MB`,
    `memory: ${measured.peakRssMb} MB at its peak (${measured.idleRssMb} MB before)`,
    `longest stall of the event loop: ${measured.stallMs.gather} ms while reading, ${measured.stallMs.distil} ms while distilling`,
    `CPU: ${measured.cpuMs.gather} ms reading, ${measured.cpuMs.distil} ms distilling; brief of ${measured.tokens} tokens`,
    `planted facts lost: ${lost.join(', ') || 'none'}`,
    ...measured.gaps.map((gap) => `gap: ${gap}`),
  ];
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${text.join('\n')}\n`);
} finally {
  await rm(directory, { recursive: true });
}

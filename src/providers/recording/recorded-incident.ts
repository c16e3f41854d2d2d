import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Notification } from '../../domain/alert.ts';
import type { Incident } from '../../domain/incident.ts';
import { composeIncident } from '../../intake/compose-incident.ts';
import { singleIncident } from '../../intake/single-incident.ts';
import { parseNotification } from '../../sources/alertmanager/index.ts';
import { PayloadError } from '../../sources/source.ts';
import type { RecordingFolder } from './recorded-files.ts';
import { isRecord, text, type JsonRecord } from '../json-record.ts';
import { readMetrics } from './recorded-metrics.ts';
import { readEvents } from './recorded-records.ts';
import { readLogs, readSpans } from './recorded-streams.ts';
import { toEpochMs } from '../epoch-time.ts';

/** What `case.json` says; every field may be missing. */
export interface CaseFile {
  readonly alertMs: number;
  readonly metricsEndMs: number;
  readonly samplingMs: number | undefined;
  readonly baselineRef: string | undefined;
}

export async function readCaseFile(folder: RecordingFolder): Promise<CaseFile> {
  const value = await folder.readJson('case.json');
  const record: JsonRecord = isRecord(value) ? value : {};
  const metrics: JsonRecord = isRecord(record['metrics']) ? record['metrics'] : {};
  const samplingS = record['sampling_s'];
  const baselineRef = text(record['baseline_ref']);
  return {
    alertMs: toEpochMs(record['alert_epoch']),
    metricsEndMs: toEpochMs(metrics['to']),
    samplingMs: typeof samplingS === 'number' && samplingS > 0 ? samplingS * 1000 : undefined,
    baselineRef: baselineRef || undefined,
  };
}

/**
 * The incident of `alert.json` (Alertmanager v4). Without a usable one an incident is made from what else tells the time; the gap
 * says so.
 */
export async function readIncident(folder: RecordingFolder, caseFile: CaseFile): Promise<Incident> {
  const body = await folder.readJson('alert.json');
  const notification = body === undefined ? undefined : parseAlert(folder, body);
  if (!notification) return incidentWithoutAlert(folder, caseFile);
  return (
    singleIncident(notification, { source: 'recording', scope: path.basename(folder.dir) }) ??
    incidentWithoutAlert(folder, caseFile)
  );
}

function parseAlert(folder: RecordingFolder, body: unknown): Notification | undefined {
  try {
    return parseNotification(body);
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    folder.addGap(`alert.json: ${error.message}`);
    return undefined;
  }
}

async function incidentWithoutAlert(folder: RecordingFolder, caseFile: CaseFile): Promise<Incident> {
  const { atMs, from } = await guessTrigger(folder, caseFile);
  const why = folder.find('alert.json') ? 'alert.json names no usable alert' : 'alert.json is missing';
  folder.addGap(`${why}: the moment of the alert is taken from ${from}. Put the Alertmanager body there.`);
  const incident = composeIncident({
    id: incidentId(folder, String(atMs)),
    header: { source: 'recording', receiver: '', groupLabels: {}, link: undefined },
    state: 'firing',
    startsAtMs: atMs,
    alerts: [],
    alertCount: 0,
    truncatedAlerts: 0,
  });
  return { ...incident, title: `Recording ${path.basename(folder.dir)} (no alert)` };
}

function incidentId(folder: RecordingFolder, ...identity: readonly string[]): string {
  const text = JSON.stringify([path.basename(folder.dir), ...identity]);
  return `recording_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

async function guessTrigger(folder: RecordingFolder, caseFile: CaseFile): Promise<{ atMs: number; from: string }> {
  if (caseFile.alertMs > 0) return { atMs: caseFile.alertMs, from: 'case.json' };
  if (caseFile.metricsEndMs > 0) return { atMs: caseFile.metricsEndMs, from: 'the end of the metrics (case.json)' };
  return folder.withoutAccount(async () => {
    for (const [from, readTimes] of TIME_SOURCES) {
      const atMs = lateTime(await readTimes(folder));
      if (atMs !== undefined) return { atMs, from };
    }
    return {
      atMs: Math.round((await stat(folder.dir)).mtimeMs),
      from: 'the age of the folder, for lack of anything better',
    };
  });
}

const TIME_SOURCES: readonly (readonly [
  from: string,
  read: (folder: RecordingFolder) => Promise<readonly number[]>,
])[] = [
  [
    'the end of the metrics',
    async (folder) => ((await readMetrics(folder)) ?? []).map(({ timesMs }) => timesMs.at(-1) ?? 0),
  ],
  ['the end of the logs', async (folder) => ((await readLogs(folder, Number.NaN)) ?? []).map((log) => log.timeMs)],
  ['the end of the spans', async (folder) => ((await readSpans(folder)) ?? []).map((span) => span.timeUs / 1000)],
  ['the last events', async (folder) => ((await readEvents(folder, Number.NaN)) ?? []).map((event) => event.timeMs)],
];

/** Nearly the latest: a single broken clock must not move the incident by years. */
function lateTime(times: readonly number[]): number | undefined {
  const usable = times.filter((timeMs) => timeMs > 0).sort((a, b) => a - b);
  return usable[Math.floor((usable.length - 1) * 0.99)];
}

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Alert } from '../../domain/alert.ts';
import type { Incident } from '../../domain/incident.ts';
import { serviceOf, type Labels } from '../../domain/labels.ts';
import type { RecordingFolder } from './recorded-files.ts';
import { isRecord, text, type JsonRecord } from './recorded-lists.ts';
import { readMetrics } from './recorded-metrics.ts';
import { toEpochMs } from './recorded-time.ts';

const MAX_ALERTS = 200;

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
  const alerts = isRecord(body) ? alertsOf(body) : [];
  const firing = alerts.filter((alert) => alert.status === 'firing');
  const starts = (firing.length > 0 ? firing : alerts).map((alert) => alert.startsAtMs).filter((ms) => ms > 0);
  const fallback = starts.length > 0 ? undefined : await guessTrigger(folder, caseFile);
  const startsAtMs = fallback?.atMs ?? Math.min(...starts);
  if (fallback) {
    const why = folder.find('alert.json') ? 'alert.json names no usable alert' : 'alert.json is missing';
    folder.addGap(`${why}: the moment of the alert is taken from ${fallback.from}. Put the Alertmanager body there.`);
  }
  return toIncident(folder, isRecord(body) ? body : {}, alerts, startsAtMs);
}

function toIncident(folder: RecordingFolder, body: JsonRecord, alerts: readonly Alert[], startsAtMs: number): Incident {
  const lead = alerts.find((alert) => alert.status === 'firing') ?? alerts[0];
  const labels = { ...labelsOf(body['commonLabels']), ...lead?.labels };
  const annotations = { ...labelsOf(body['commonAnnotations']), ...lead?.annotations };
  const link = text(body['externalURL']);
  const name = path.basename(folder.dir);
  const identity = [name, text(body['groupKey']), String(startsAtMs), ...alerts.map((alert) => alert.fingerprint)];
  const truncated = Number(body['truncatedAlerts']);
  const truncatedAlerts = truncated > 0 ? truncated : 0;
  return {
    id: `recording_${createHash('sha256').update(identity.join('\n')).digest('hex').slice(0, 24)}`,
    kind: 'incident',
    source: 'recording',
    receiver: text(body['receiver']),
    title: annotations['summary'] || labels['alertname'] || `Recording ${name}`,
    service: serviceOf(labels),
    severity: labels['severity'],
    startsAtMs,
    state: lead?.status === 'resolved' ? 'resolved' : 'firing',
    labels,
    annotations,
    alerts: alerts.slice(0, MAX_ALERTS),
    alertCount: alerts.length + truncatedAlerts,
    truncatedAlerts,
    link: /^https?:\/\//.test(link) ? link : undefined,
  };
}

/** The alerts of a webhook body, or the one alert that the body itself is. */
function alertsOf(body: JsonRecord): readonly Alert[] {
  const list = Array.isArray(body['alerts']) ? (body['alerts'] as unknown[]) : body['labels'] ? [body] : [];
  return list.filter(isRecord).map((record) => {
    const labels = labelsOf(record['labels']);
    const sorted = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
    const endsAtMs = toEpochMs(record['endsAt']);
    return {
      status: record['status'] === 'resolved' ? 'resolved' : 'firing',
      labels,
      annotations: labelsOf(record['annotations']),
      startsAtMs: toEpochMs(record['startsAt']),
      endsAtMs: record['status'] === 'resolved' && endsAtMs > 0 ? endsAtMs : undefined,
      generatorUrl: text(record['generatorURL']) || undefined,
      fingerprint: text(record['fingerprint']) || createHash('sha256').update(sorted).digest('hex').slice(0, 16),
    } satisfies Alert;
  });
}

function labelsOf(value: unknown): Labels {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, label]) => [name, text(label)]));
}

async function guessTrigger(folder: RecordingFolder, caseFile: CaseFile): Promise<{ atMs: number; from: string }> {
  if (caseFile.alertMs > 0) return { atMs: caseFile.alertMs, from: 'case.json' };
  if (caseFile.metricsEndMs > 0) return { atMs: caseFile.metricsEndMs, from: 'the end of the metrics (case.json)' };
  const series = await folder.withoutAccount(() => readMetrics(folder));
  const ends = (series ?? []).map(({ timesMs }) => timesMs.at(-1) ?? 0);
  const endMs = ends.reduce((latest, ms) => Math.max(latest, ms), 0);
  if (endMs > 0) return { atMs: endMs, from: 'the end of the metrics' };
  return {
    atMs: Math.round((await stat(folder.dir)).mtimeMs),
    from: 'the age of the folder, for lack of anything better',
  };
}

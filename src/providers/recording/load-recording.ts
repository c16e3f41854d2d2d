import type { Incident } from '../../domain/incident.ts';
import { NO_TELEMETRY, type Telemetry } from '../../domain/telemetry.ts';
import { toTopology } from '../topology-json.ts';
import { RecordingFolder } from './recorded-files.ts';
import { readCaseFile, readIncident } from './recorded-incident.ts';
import { estimateSamplingMs, readMetrics } from './recorded-metrics.ts';
import { readObjects } from './recorded-objects.ts';
import { DEFAULT_CAPS, readLogs, readSpans, type ReadingCaps } from './recorded-streams.ts';
import { readChanges, readEvents, readSpanStats } from './recorded-records.ts';

export interface LoadedRecording {
  readonly incident: Incident;
  readonly telemetry: Telemetry;
}

/**
 * Reads a whole recording (docs/recordings.md). Throws `ProviderError` only when there is no such folder, and the signal's
 * reason when aborted; every other problem is a gap that names the file.
 */
export async function loadRecording(
  dir: string,
  signal?: AbortSignal,
  caps: ReadingCaps = DEFAULT_CAPS,
): Promise<LoadedRecording> {
  const folder = await RecordingFolder.open(dir, signal);
  const caseFile = await readCaseFile(folder);
  const incident = await readIncident(folder, caseFile);
  const anchorMs = incident.startsAtMs;

  const series = await readMetrics(folder);
  const logs = await readLogs(folder, anchorMs, caps.logLines);
  const spans = await readSpans(folder, caps.spans);
  const spanStats = await readSpanStats(folder);
  const events = await readEvents(folder, anchorMs);
  const objects = await readObjects(folder);
  const changes = await readChanges(folder);
  const topology = await readTopology(folder);
  const rawCharacters = folder.characters;
  const reference = await readReference(folder, caseFile.baselineRef, caps);

  const read = { metrics: series, logs, traces: spans ?? spanStats, events, objects, changes, topology };
  const absent = Object.entries(read).filter(([, list]) => list === undefined);
  if (absent.length > 0) {
    folder.addGap(`the recording holds no ${absent.map(([kind]) => kind).join(', ')}: nothing is known from these.`);
  }
  const telemetry: Telemetry = {
    series: series ?? [],
    logs: logs ?? [],
    spans: spans ?? [],
    spanStats: spanStats ?? [],
    events: events ?? [],
    objects: objects ?? [],
    changes: changes ?? [],
    topology: topology ?? NO_TELEMETRY.topology,
    reference,
    samplingMs: caseFile.samplingMs ?? estimateSamplingMs(series ?? []),
    gaps: folder.gaps,
    rawCharacters,
  };
  return { incident, telemetry };
}

/** The incident of a recording. Throws `ProviderError` when there is no such folder. */
export async function readRecordedIncident(dir: string): Promise<Incident> {
  const folder = await RecordingFolder.open(dir);
  return readIncident(folder, await readCaseFile(folder));
}

async function readTopology(folder: RecordingFolder): Promise<Telemetry['topology'] | undefined> {
  if (folder.find('topology.json') === undefined) return undefined;
  const value = await folder.readJson('topology.json');
  if (value === undefined) return NO_TELEMETRY.topology;
  const read = toTopology(value);
  if (!read) folder.addGap('topology.json: not of the form {services, edges: [{from, to}]}; it was left out.');
  if (read && read.ignored > 0)
    folder.addGap(`topology.json: ${read.ignored} entries name no service and were left out.`);
  return read?.topology ?? NO_TELEMETRY.topology;
}

async function readReference(
  folder: RecordingFolder,
  baselineRef: string | undefined,
  caps: ReadingCaps,
): Promise<Telemetry['reference']> {
  if (baselineRef === undefined) return NO_TELEMETRY.reference;
  const sibling = await folder.openSibling(baselineRef);
  if (!sibling) return NO_TELEMETRY.reference;
  // The reference is of another day on purpose, so its times are not compared with the incident's.
  const logs = await readLogs(sibling, Number.NaN, caps.logLines);
  const spans = await readSpans(sibling, caps.spans);
  for (const gap of sibling.gaps) folder.addGap(`baseline_ref: ${gap.message}`);
  return { logs: logs ?? [], spans: spans ?? [] };
}

import { readdir, readFile } from 'node:fs/promises';
import type { Config } from '../config/schema.ts';
import type { Job } from '../domain/check.ts';
import type { Incident } from '../domain/incident.ts';
import type { Look } from '../domain/look.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import type { Telemetry } from '../domain/telemetry.ts';
import { distil } from '../funnel/distil.ts';
import { singleIncident } from '../intake/single-incident.ts';
import { investigate, type Investigation } from '../investigate/investigate.ts';
import { latestTime } from '../investigate/what-was-read.ts';
import { sessionId } from '../investigate/write-report.ts';
import type { McpServers } from '../mcp/servers.ts';
import { whyUnreadable } from '../platform/settings-file.ts';
import type { Tracing } from '../platform/tracing.ts';
import type { Redactor } from '../policy/redact.ts';
import { createProviders } from '../providers/index.ts';
import { createRecordingProvider, readRecordedIncident, type RecordingOptions } from '../providers/recording/index.ts';
import { checkIncident } from '../schedule/scheduler.ts';
import { parseNotification } from '../sources/alertmanager/index.ts';
import { PayloadError } from '../sources/source.ts';
import { InputError } from './input-error.ts';
import { openKnowledge } from './open-knowledge.ts';
import { openMemoryStore } from './open-memory.ts';
import { openMcp, withMcpTools } from './open-mcp.ts';
import { openHost } from './open-host.ts';
import { openToolbox } from './open-toolbox.ts';
import { openTracing } from './open-tracing.ts';
import { createInvestigationParts } from './parts.ts';
import { planCheck } from './plan-check.ts';
import { createProcessRedactor } from './process-redactor.ts';
import { capsOf, createSpending, spendOfThisProcess, type Spending } from './spending.ts';

export interface OnceOptions {
  readonly alertFile?: string;
  readonly recording?: string;
  /** A check to be run now, or at the end of the recording. */
  readonly job?: Job;
  /** Of a recording: shows nothing of a later time than this after the alert. */
  readonly untilS?: number;
  /** Looks again with what there is so long after the alert; the report is that of this second look. */
  readonly secondLookS?: number;
  readonly offline: boolean;
  /** One line a stage, already redacted. */
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface OnceResult extends Investigation {
  /** False when every provider was dead, empty or not there: the report has no evidence to judge. */
  readonly sawTelemetry: boolean;
}

/** `rootnote investigate`: one investigation with no queue and no Redis, or two looks at the same recording. Throws InputError. */
export async function investigateOnce(config: Config, options: OnceOptions): Promise<OnceResult> {
  const { untilS, secondLookS } = options;
  // One for both: names have to be the same in both looks.
  const redactor = createProcessRedactor(config);
  const spending = createSpending(
    config,
    capsOf(config, (_name, cap) => spendOfThisProcess(cap)),
    () => undefined,
  );
  const mcp = await openMcp(config);
  const tracing = await openTracing(config, {
    redact: (text) => redactor.redact(text),
    onLost: () => options.onProgress('trace    spans could not be sent to the collector'),
  });
  const look = (until: number | undefined, earlier?: Look) =>
    lookOnce(config, options, { redactor, spending, mcp, tracing, until, earlier });
  try {
    const first = await look(untilS);
    if (secondLookS === undefined) return first;
    options.onProgress(`look 2   ${secondLookS} s after the alert`);
    return await look(secondLookS, first.look);
  } finally {
    await Promise.all([mcp.stop(), tracing.stop(TRACING_GRACE_MS)]);
  }
}

/** For spans that are not posted yet: nobody waits long for a collector that is away. */
const TRACING_GRACE_MS = 3000;

interface LookOptions {
  readonly redactor: Redactor;
  readonly spending: Spending;
  readonly mcp: McpServers;
  readonly tracing: Tracing;
  readonly until: number | undefined;
  readonly earlier: Look | undefined;
}

async function lookOnce(
  config: Config,
  options: OnceOptions,
  { redactor, spending, mcp, tracing, until, earlier }: LookOptions,
): Promise<OnceResult> {
  let sawTelemetry = false;
  const { incident, providers } = await openSubject(config, options, until);
  const knowledge = openKnowledge(config, {
    redact: (text) => redactor.redact(text),
    // A recording is replayed with what is in it; by hand nothing is remembered.
    store: options.recording ? undefined : openMemoryStore(config, undefined),
    mayRemember: false,
    onProblem: (line) => options.onProgress(redactor.redact(`guide    ${line}`)),
  });
  const usual = createInvestigationParts(config, {
    toolbox: openToolbox(providers, knowledge, options.recording ? {} : openHost(config)),
    knowledge,
    offline: options.offline,
    distil: (incident, telemetry, limits) => {
      sawTelemetry = holdsAnything(telemetry);
      return Promise.resolve(distil(incident, telemetry, limits));
    },
    redactor,
    onProgress: (stage, line) => options.onProgress(redactor.redact(`${stage.padEnd(8)} ${line}`)),
  });
  const what = incident.kind === 'check' ? 'check' : 'alert';
  options.onProgress(
    redactor.redact(`${what.padEnd(8)} ${incident.title}, ${new Date(incident.startsAtMs).toISOString()}`),
  );
  const parts = incident.check ? await planCheck(incident, incident.check, usual, {}, options.signal) : usual;
  const model = await spending.admit(incident.id, parts.model);
  const { id, kind, source } = incident;
  const facts = { incident: id, session: sessionId(id), kind, source };
  const investigation = await tracing.trace('investigation', facts, async () => {
    const traced = { ...parts, model, trace: tracing.trace };
    // A recording is replayed with what is in it.
    const equipped = options.recording ? traced : withMcpTools(traced, mcp.open, options.signal);
    return investigate(incident, equipped, options.signal, earlier);
  });
  await spending.settle(incident.id, investigation.report);
  return { ...investigation, sawTelemetry };
}

/** What there is to look into, and where: a recording and its alert, an alert file, or a check in either place. */
async function openSubject(
  config: Config,
  { alertFile, recording, job, signal }: OnceOptions,
  until: number | undefined,
) {
  const checkAt = (atMs: number) => job && checkIncident({ job, lateMs: 0, unrun: [] }, atMs);
  if (recording !== undefined) {
    const { incident, providers } = await openRecording(recording, recordingOptions(config, until));
    const endMs = job ? await endOf(incident, providers, signal) : incident.startsAtMs;
    return { incident: checkAt(endMs) ?? incident, providers };
  }
  return {
    incident: checkAt(Date.now()) ?? (await readAlertFile(alertFile ?? '')),
    providers: createProviders(config),
  };
}

/** For a check "now" is the end of a recording: an alert stands where its trouble begins. */
async function endOf(
  incident: Incident,
  providers: readonly TelemetryProvider[],
  signal: AbortSignal,
): Promise<number> {
  const { startsAtMs } = incident;
  const window = { fromMs: startsAtMs - LONGEST_RECORDING_MS, toMs: startsAtMs + LONGEST_RECORDING_MS };
  const read = await Promise.all(providers.map((provider) => provider.gather(incident, window, signal)));
  return Math.max(startsAtMs, ...read.map((telemetry) => latestTime(telemetry, window.toMs) ?? startsAtMs));
}

const LONGEST_RECORDING_MS = 24 * 3_600_000;

function holdsAnything({ series, logs, spans, spanStats, events, objects, changes }: Telemetry): boolean {
  return [series, logs, spans, spanStats, events, objects, changes].some((list) => list.length > 0);
}

function recordingOptions({ MAX_LOG_LINES, MAX_SPANS }: Config, untilS: number | undefined): RecordingOptions {
  const caps = { logLines: MAX_LOG_LINES, spans: MAX_SPANS };
  return untilS === undefined ? { caps } : { caps, untilAfterAlertMs: untilS * 1000 };
}

const RECORDED_FILE =
  /^((alert|case|pods|topology)\.json|(logs|events|changes|objects)\.jsonl|(metrics|traces|trace_stats)\.csv)(\.gz)?$/;

async function openRecording(
  dir: string,
  options: RecordingOptions,
): Promise<{ incident: Incident; providers: readonly TelemetryProvider[] }> {
  const names = await readdir(dir).catch(() => undefined);
  if (names && !names.some((name) => RECORDED_FILE.test(name)))
    throw new InputError(
      `${dir} is no recording: it holds no alert.json, metrics.csv, logs.jsonl or any other such file`,
    );
  try {
    return { incident: await readRecordedIncident(dir), providers: [createRecordingProvider(dir, options)] };
  } catch (error) {
    throw new InputError(`${dir} cannot be read as a recording: ${messageOf(error)}`, { cause: error });
  }
}

async function readAlertFile(file: string): Promise<Incident> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new InputError(`${file} ${whyUnreadable(error)}`, { cause: error });
  });
  try {
    const incident = singleIncident(parseNotification(JSON.parse(text)), { source: 'file', scope: file });
    if (incident) return incident;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof PayloadError)) throw error;
    throw new InputError(`${file} is not the body of an Alertmanager webhook: ${messageOf(error)}`, { cause: error });
  }
  throw new InputError(`${file} holds no alerts`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs, styleText } from 'node:util';
import { explainError } from '../src/app/explain-error.ts';
import { exitOnSignal } from '../src/app/lifetime.ts';
import { printReport } from '../src/app/print-report.ts';
import { startRole } from '../src/app/start-role.ts';
import { parseConfig } from '../src/config/load-config.ts';
import type { Config } from '../src/config/schema.ts';
import { duration } from '../src/domain/relative-time.ts';
import type { Investigation } from '../src/investigate/investigate.ts';

/** `npm run demo`: a real, recorded incident goes the whole way, from the webhook to the report. Ends by itself; `--keep` stays up. */

const colour = process.stdout.isTTY;
const bold = (text: string) => (colour ? styleText('bold', text) : text);
const dim = (text: string) => (colour ? styleText('dim', text) : text);
const beganMs = performance.now();
/** Longer than an investigation may take, and not for ever. */
const DEADLINE_MS = 6 * 60_000;

/** From dist/demo/ to the checkout. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const recording = join(root, 'demo', 'recording');

function step(stage: string, text: string): void {
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${dim(`${seconds} s`)}  ${bold(stage.padEnd(9))} ${text}\n`);
}

/**
 * Only the model and Redis are taken from the environment: the demo must never post to somebody's real Slack. Its keys have a prefix of their
 * own, since an alert that Rootnote has seen is a repeat and not investigated again.
 */
function demoConfig(): Config {
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, MODEL_ID, REDIS_URL } = process.env;
  return parseConfig({
    ANTHROPIC_API_KEY,
    ANTHROPIC_BASE_URL,
    MODEL_ID,
    REDIS_URL,
    REDIS_PREFIX: `demo-${Date.now()}`,
    STATE_DIR: join(root, '.rootnote'),
    REPORT_DIR: join(root, '.rootnote', 'demo', 'reports'),
    RECORDING_DIR: recording,
    JOBS_DIR: join(root, 'jobs'),
    PORT: '0',
    LOG_LEVEL: 'warn',
  });
}

/** A promise that an event settles; without the event it rejects at the deadline. */
function signalled<T>(what: string): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle, reject) => {
    resolve = settle;
    setTimeout(() => reject(new Error(`${what} did not come within ${duration(DEADLINE_MS)}`)), DEADLINE_MS).unref();
  });
  return { promise, resolve };
}

async function postAlert(url: string): Promise<void> {
  const body = await readFile(join(recording, 'alert.json'), 'utf8');
  const beforeMs = performance.now();
  const response = await fetch(`${url}/webhooks/alertmanager`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(10_000),
  });
  const answer = (await response.json()) as { status?: string; error?: string };
  const tookMs = performance.now() - beforeMs;
  if (response.status !== 202) throw new Error(`the webhook was answered ${response.status}: ${answer.error ?? ''}`);
  step('webhook', `answered 202 after ${duration(tookMs)}: ${answer.status}`);
}

function readOptions(): { readonly keep: boolean } {
  try {
    return parseArgs({ options: { keep: { type: 'boolean', default: false } } }).values;
  } catch (error) {
    const [problem] = (error instanceof Error ? error.message : String(error)).split('. ');
    process.stderr.write(`demo: ${problem}\nusage: npm run demo [-- --keep]\n`);
    process.exit(2);
  }
}

// Whoever watches may leave early (`npm run demo | head`); what is left to do nobody would see. The Redis ends with this process.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

async function main(): Promise<void> {
  const { keep } = readOptions();
  const config = demoConfig();
  step('start', 'receiver, queue, worker and deliveries in one process, with a Redis of their own');
  const reported = signalled<Investigation>('the report');
  const delivered = signalled<string>('the delivery');
  const role = await startRole('all', config, {
    say: (line) => step('redis', line),
    onDecided: ({ decision, incidentId }) => step('admission', `${decision} incident ${incidentId}`),
    onStage: (_incident, stage, line) => step(stage, line),
    onReport: (_incident, investigation) => reported.resolve(investigation),
    onDelivery: (destination, outcome) => {
      step('delivery', `${destination}: ${outcome}`);
      delivered.resolve(outcome);
    },
  });
  step('ready', `listening on ${role.url}, telemetry from the recording in ${relative(process.cwd(), recording)}`);
  if (config.ANTHROPIC_API_KEY) step('model', `${config.MODEL_ID} investigates`);
  else step('model', 'none (ANTHROPIC_API_KEY is not set): the offline analyst investigates');
  await postAlert(role.url);
  const { report } = await reported.promise;
  await delivered.promise;
  process.stdout.write(`\n${printReport(report, { colour })}\n`);
  const file = relative(process.cwd(), join(config.REPORT_DIR ?? '', `${report.id}.json`));
  process.stdout.write(
    `The report as JSON: ${file}\nThe demo keeps to itself: \`rootnote reports list\` shows only reports of a running installation.\n`,
  );
  if (keep) {
    exitOnSignal(role.lifetime, role.log, config.SHUTDOWN_GRACE_MS);
    process.stdout.write(`Still up: ${role.url}/metrics, ${role.url}/api/v1/reports. Ctrl-C ends it.\n`);
    return;
  }
  await role.lifetime.stop();
}

main().catch((error: unknown) => {
  const message = explainError(error) ?? (error instanceof Error ? error.stack : String(error));
  process.stderr.write(`demo: ${message}\n`);
  process.exit(1);
});

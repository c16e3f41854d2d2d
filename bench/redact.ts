import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createRedactor } from '../src/policy/redact.ts';
import { endWithUsage, readOptions } from './options.ts';
import { mixedLogs } from './redact-logs.ts';
import { isLeaked, lookAlikes, secretTexts } from './secret-texts.ts';

/**
 * How much of what is secret the redactor takes out, how much evidence it spoils, and how fast it is. On the project's own invented texts, as they
 * are, inside a JSON log line and inside JSON in JSON; with `--data`, on other people's texts, stored in pieces in `redact-shared.jsonl`.
 */
const USAGE = 'npm run bench:redact -- [--data DIR] [--megabytes N] [--json]';
const values = readOptions(USAGE, {
  data: { type: 'string' },
  megabytes: { type: 'string', default: '10' },
  json: { type: 'boolean', default: false },
});
const megabytes = Number(values.megabytes);
if (!(megabytes > 0)) endWithUsage('--megabytes must be a number above 0', USAGE);
const MEGABYTE = 1_000_000;

const Row = z.object({ parts: z.array(z.string()), secret: z.tuple([z.number(), z.number()]).optional() });

interface Sample {
  readonly text: string;
  /** Absent for a text that only looks like it held one. */
  readonly secret?: string;
}

/** How a text reaches the redactor, and how its secret is written there. */
interface Wrapping {
  readonly wrap: (text: string) => string;
  readonly write: (secret: string) => string;
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
const WRAPPINGS = {
  plain: { wrap: (text) => text, write: (secret) => secret },
  json: { wrap: (text) => JSON.stringify({ time: '2026-11-30T02:00:00Z', level: 'info', msg: text }), write: escaped },
  jsonInJson: {
    wrap: (text) => JSON.stringify({ level: 'info', log: JSON.stringify({ msg: text, n: 1 }) }),
    write: (secret) => escaped(escaped(secret)),
  },
} satisfies Record<string, Wrapping>;

const redactor = createRedactor({ secrets: ['a-secret-of-the-process-itself'], key: 'bench' });

function score(samples: readonly Sample[], { wrap, write }: Wrapping) {
  const withSecret = samples.flatMap(({ text, secret }) => (secret === undefined ? [] : [{ text, secret }]));
  const plain = samples.filter(({ secret }) => secret === undefined);
  const masked = withSecret.filter(({ text, secret }) => !isLeaked(redactor.redact(wrap(text)), write(secret)));
  const changed = plain.filter(({ text }) => redactor.redact(wrap(text)) !== wrap(text));
  return {
    secrets: withSecret.length,
    recall: masked.length / Math.max(1, withSecret.length),
    lookAlikes: plain.length,
    falseHits: changed.length,
  };
}

function scoreAll(samples: readonly Sample[]) {
  const { plain, json, jsonInJson } = WRAPPINGS;
  return { plain: score(samples, plain), json: score(samples, json), jsonInJson: score(samples, jsonInJson) };
}

function ownSamples(): Sample[] {
  return [...secretTexts(11, 5), ...lookAlikes(11).map((text) => ({ text }))];
}

function readSamples(directory: string): Sample[] | undefined {
  const file = join(directory, 'redact-shared.jsonl');
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { parts, secret } = Row.parse(JSON.parse(line));
    const text = parts.join('');
    return secret === undefined ? { text } : { text, secret: text.slice(...secret) };
  });
}

/** CPU time, the best of three: other programs only ever add to it. */
function cpuMs(text: string): number {
  const runs = [0, 1, 2].map(() => {
    const before = process.cpuUsage();
    redactor.redact(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

function measure() {
  const logs = mixedLogs(7, Math.max(2, megabytes) * MEGABYTE);
  redactor.redact(logs.slice(0, MEGABYTE));
  const ms = cpuMs(logs.slice(0, megabytes * MEGABYTE));
  const shared = values.data === undefined ? undefined : readSamples(values.data);
  return {
    bench: 'redact',
    megabytes,
    cpuMs: ms,
    megabytesPerCpuSecond: (megabytes / ms) * 1000,
    /** CPU time of two megabytes by that of one: 2 is linear. */
    growth: cpuMs(logs.slice(0, 2 * MEGABYTE)) / cpuMs(logs.slice(0, MEGABYTE)),
    own: scoreAll(ownSamples()),
    ...(shared && { shared: scoreAll(shared) }),
  };
}

function print(result: ReturnType<typeof measure>): string {
  const rows = (
    [
      ['own texts', result.own],
      ['shared texts', result.shared],
    ] as const
  ).flatMap(([name, scores]) =>
    scores
      ? Object.entries(scores).map(
          ([wrapping, { recall, secrets, falseHits, lookAlikes: plain }]) =>
            `${name}, ${wrapping}: ${(100 * recall).toFixed(1)} % of ${secrets} secrets masked, ${falseHits} of ${plain} look-alikes changed`,
        )
      : [`${name}: none here`],
  );
  const speed = `${result.megabytes} MB of mixed logs: ${result.cpuMs.toFixed(0)} ms CPU, ${result.megabytesPerCpuSecond.toFixed(1)} MB/s; twice the text takes ${result.growth.toFixed(2)} times as long`;
  return [...rows, speed, ''].join('\n');
}

const result = measure();
process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : print(result));

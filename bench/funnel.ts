import { distil } from '../src/funnel/distil.ts';
import { endWithUsage, readOptions } from './options.ts';
import { inventIncident } from './synthetic-incident.ts';

/**
 * `npm run bench:funnel [-- --json] [-- --seed N]`: what the funnel costs and what survives it, on invented telemetry: 12,000 log lines,
 * 400 series and 500 events with six planted facts. cpuMs is the median of five runs after a warm-up.
 */
const USAGE = 'npm run bench:funnel -- [--json] [--seed N]';
const SIZE = { lines: 12_000, series: 400, events: 500 };
const RUNS = 5;
const OPTIONS = { tokenBudget: 5820, eventWindowMs: 300_000 };

const values = readOptions(USAGE, {
  json: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
});
const seed = Number(values.seed);
if (!Number.isInteger(seed)) endWithUsage(`--seed must be a whole number, not "${values.seed}"`, USAGE);

const { incident, telemetry, needles } = inventIncident(seed, SIZE);
const brief = distil(incident, telemetry, OPTIONS);
const cpuMs = medianCpuMs(() => distil(incident, telemetry, OPTIONS));
const lost = needles.filter(({ pattern }) => !pattern.test(brief.text));
const result = {
  bench: 'funnel',
  ...SIZE,
  cpuMs,
  tokens: brief.tokens,
  survival: { planted: needles.length, found: needles.length - lost.length },
};

if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
else process.stdout.write(describe());

function medianCpuMs(work: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.round(times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0);
}

function describe(): string {
  const { lines, series, events, tokens, survival } = result;
  return [
    `${lines} log lines, ${series} series, ${events} events (${brief.rawTokens} raw tokens) → ${tokens} tokens in ${cpuMs} ms of CPU`,
    `planted facts in the brief: ${survival.found} of ${survival.planted}`,
    ...lost.map(({ what }) => `lost: ${what}`),
    '',
  ].join('\n');
}

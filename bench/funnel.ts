import { distil } from '../src/funnel/distil.ts';
import { endWithUsage, readOptions } from './options.ts';
import { OTHERS, survive, SURVIVAL_KINDS } from './survival/survive.ts';
import { inventIncident } from './synthetic-incident.ts';

/**
 * `npm run bench:funnel [-- --json] [-- --seed N]`: what the funnel costs and what survives it, on invented telemetry. The cost is that of 10,000
 * log lines, 500 series and 500 events with six planted facts; cpuMs is the median of five runs after a warm-up. Survival counts these six and the
 * kinds in `survival/`, each of them one decisive fact among 100,000 others.
 */
const USAGE = 'npm run bench:funnel -- [--json] [--seed N]';
const SIZE = { lines: 10_000, series: 500, events: 500 };
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
const kinds = [
  ...needles.map(({ what, pattern }) => ({ name: what, haystack: 'all', found: pattern.test(brief.text) })),
  ...SURVIVAL_KINDS.map((kind) => {
    const { name, haystack } = kind;
    return { name, haystack, found: survive(kind, OTHERS, seed).line !== undefined };
  }),
];
const result = {
  bench: 'funnel',
  ...SIZE,
  cpuMs,
  tokens: brief.tokens,
  survival: { planted: kinds.length, found: kinds.filter(({ found }) => found).length, kinds },
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
    '',
    ...kinds.map(({ name, haystack, found }) => `${found ? 'found' : 'LOST '}  ${haystack.padEnd(8)} ${name}`),
    `decisive facts in the brief: ${survival.found} of ${survival.planted}`,
    '',
  ].join('\n');
}

import { readFile } from 'node:fs/promises';
import { endWithUsage, readOptions } from '../../bench/options.ts';
import { FULL, SMALL, SOAK_MS } from './counts.ts';
import { runScenario, type Verdict } from './run-scenario.ts';
import { LANES, type Lane, type Scenario } from './scenario.ts';
import { SCENARIOS, scenariosOn } from './scenarios.ts';
import { TOPOLOGIES } from './topology.ts';

/**
 * `npm run test:faults [-- --only R2,R5] [-- --redis sentinel] [-- --small] [-- --soak] [-- --seed N] [-- --json]`: real processes, real Redis, destinations on loopback
 * (test/faults/README.md). Exit code 1 when an alert was lost or reported twice, or anything else failed.
 */
const USAGE =
  'npm run test:faults -- [--only R2,R5] [--redis single|sentinel|cluster] [--small] [--soak] [--seed N] [--json]';

/** Of Linux, on every platform that Node runs on. */
const TICKS_A_SECOND = 100;

const values = readOptions(USAGE, {
  only: { type: 'string' },
  redis: { type: 'string', default: 'single' },
  small: { type: 'boolean', default: false },
  soak: { type: 'boolean', default: false },
  seed: { type: 'string' },
  json: { type: 'boolean', default: false },
});

// Children are killed when this process exits (test/support/child.ts), and a signal alone would not let it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const seed = values.seed === undefined ? Date.now() % 100_000 : Number(values.seed);
if (!Number.isInteger(seed)) endWithUsage('--seed must be a whole number', USAGE);
const counts = { ...(values.small ? SMALL : FULL), ...(values.soak ? { soakMs: SOAK_MS } : {}) };
const topology = TOPOLOGIES.find((name) => name === values.redis) ?? endWithUsage(`there is no ${values.redis}`, USAGE);
const chosen = scenariosOn(topology).filter((scenario) => choose(values.only).includes(scenario));
const say = (line: string) => void process.stderr.write(`${line}\n`);
say(`seed ${seed}`);

const beganMs = Date.now();
const verdicts = (await Promise.all(LANES.map(runLane))).flat();
const cost = { seconds: Math.round((Date.now() - beganMs) / 1000), cpuSeconds: await cpuSeconds() };
verdicts.sort((a, b) => SCENARIOS.indexOf(a.scenario) - SCENARIOS.indexOf(b.scenario));
const held = verdicts.every((verdict) => verdict.held);
process.stdout.write(values.json ? asJson(verdicts) : asTable(verdicts));
process.exitCode = held ? 0 : 1;

function choose(only: string | undefined): readonly Scenario[] {
  if (only === undefined) return SCENARIOS;
  const ids = only.split(',').map((id) => id.trim().toUpperCase());
  const unknown = ids.find((id) => !SCENARIOS.some((scenario) => scenario.id === id));
  if (unknown !== undefined) endWithUsage(`there is no ${unknown}`, USAGE);
  return SCENARIOS.filter(({ id }) => ids.includes(id));
}

async function runLane(lane: Lane): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const scenario of chosen.filter((candidate) => candidate.lane === lane)) {
    const verdict = await runScenario(scenario, { counts, topology }, seed, say);
    say(rowsOf(verdict).join('\n'));
    verdicts.push(verdict);
  }
  return verdicts;
}

/** Of this process and all of its children that have ended; 0 where the system does not tell. */
async function cpuSeconds(): Promise<number> {
  const text = await readFile('/proc/self/stat', 'utf8').catch(() => '');
  const ticks = text.slice(text.lastIndexOf(')')).split(' ').slice(12, 16);
  return Math.round(ticks.reduce((sum, tick) => sum + Number(tick), 0) / TICKS_A_SECOND);
}

function asJson(all: readonly Verdict[]): string {
  const scenarios = all.map(({ scenario: { id, title }, ...rest }) => ({ id, title, ...rest }));
  return `${JSON.stringify({ test: 'faults', redis: topology, seed, held, ...cost, scenarios })}\n`;
}

function asTable(all: readonly Verdict[]): string {
  const failed = all.filter((verdict) => !verdict.held).length;
  const rows = all.flatMap(rowsOf);
  return `${rows.join('\n')}\nseed ${seed}: ${all.length - failed} held, ${failed} failed, in ${cost.seconds} s and ${cost.cpuSeconds} s of CPU\n`;
}

function rowsOf({ scenario, seen, failures, held: isHeld, seconds }: Verdict): readonly string[] {
  const counted = Object.entries(seen).map(([name, value]) => `${name} ${value}`);
  return [
    `${scenario.id.padEnd(4)} ${(isHeld ? 'held' : 'FAILED').padEnd(7)} ${String(seconds).padStart(4)} s  ${scenario.title}`,
    `     ${counted.join(', ')}`,
    ...failures.map((failure) => `     ! ${failure.replaceAll('\n', '\n       ')}`),
  ];
}

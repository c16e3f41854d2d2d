import { runTrial } from '../test/support/resume-trial/trial.ts';
import { endWithUsage, readOptions } from './options.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * `npm run bench:resume [-- --investigations N] [-- --kills N] [-- --workers N] [-- --seed N] [-- --apart] [-- --json]`: kill -9 of worker processes at random points
 * of investigations with sub-agents. Counts from outside what was reported, posted twice, asked of the model again. Exit code 1 when a report is missing
 * or damaged, one was posted twice, finished work was done again, or more than one call an investigation was repeated after a kill. A process that runs
 * an investigation and a sub-agent of another one has two calls on their way; with --apart (from two workers on) none has, and no kill may repeat two.
 */
const USAGE = 'npm run bench:resume -- [--investigations N] [--kills N] [--workers N] [--seed N] [--apart] [--json]';

const values = readOptions(USAGE, {
  investigations: { type: 'string', default: '50' },
  kills: { type: 'string', default: '50' },
  workers: { type: 'string', default: '3' },
  seed: { type: 'string', default: '1' },
  apart: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
});

function wholeNumber(name: 'investigations' | 'kills' | 'workers' | 'seed'): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 1) endWithUsage(`--${name} must be a whole number above 0`, USAGE);
  return value;
}

const { apart } = values;
const seed = wholeNumber('seed');
if (apart && wholeNumber('workers') < 2) endWithUsage('--apart needs two workers', USAGE);
const result = await runTrial({
  investigations: wholeNumber('investigations'),
  kills: wholeNumber('kills'),
  workers: wholeNumber('workers'),
  apart,
  random: seededRandom(seed),
  say: (line) => process.stderr.write(`${line}\n`),
});

const held =
  result.reports === result.investigations &&
  result.duplicateDeliveries === 0 &&
  result.damaged.length === 0 &&
  result.wentBack.length === 0 &&
  result.refusedRequests.length === 0 &&
  result.repeatedModelCalls <= result.kills &&
  result.mostRepeatedAfterOneKillInOneInvestigation <= 1 &&
  (!apart || result.mostRepeatedAfterOneKill <= 1);
if (values.json) process.stdout.write(`${JSON.stringify({ bench: 'resume', seed, apart, held, ...result })}\n`);
else {
  const { kills, investigations, reports, duplicateDeliveries, modelCalls, repeatedModelCalls } = result;
  process.stdout.write(
    `${kills} kills over ${investigations} investigations (seed ${seed}, ${result.seconds} s): ${reports} reports, ${duplicateDeliveries} posted twice\n` +
      `model calls: ${modelCalls} needed, ${repeatedModelCalls} made again; after one kill at most ${result.mostRepeatedAfterOneKill}, ` +
      `of one investigation at most ${result.mostRepeatedAfterOneKillInOneInvestigation}\n` +
      [...result.damaged, ...result.wentBack, ...result.refusedRequests].map((line) => `  ${line}\n`).join('') +
      (held ? 'held\n' : 'NOT held\n'),
  );
}
process.exitCode = held ? 0 : 1;

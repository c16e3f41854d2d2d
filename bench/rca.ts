import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { z } from 'zod';
import { readSeconds } from '../src/app/investigate-arguments.ts';
import { UsageError } from '../src/app/options.ts';
import { endWithUsage, readOptions } from './options.ts';
import { printResult, type RcaResult } from './rca-print.ts';
import type { RankingReply, RankingRequest } from './rca-reply.ts';
import { reliabilityTable, scoreDatasets, splitHalves, type RankedCase } from './rca-scoring.ts';
import { scoreTypes } from './rca-types.ts';
import { rankAll } from './rca-workers.ts';

/**
 * `npm run bench:rca -- --cases DIR [--truth DIR] [--json]`: the offline analyst on every recording under DIR, two at a time, each in
 * a worker process. With truth, which is read only after all workers have ended: AC@1, AC@3, Avg@5, calibration and type, also for two halves.
 */
const USAGE = `npm run bench:rca -- --cases DIR [--truth DIR] [--until SECONDS] [--json]
  --until SECONDS  hides samples, lines, spans, events and changes later than this after the alert; object snapshots cannot be rewound and stay`;

interface Recording {
  readonly dataset: string;
  readonly id: string;
  readonly directory: string;
  /** Path under the folder of cases; the truth lies at the same path, plus `.json`. */
  readonly path: string;
}

/** How much of every recording its worker may see. */
type View = Omit<RankingRequest, 'directory'>;

/** Folders with an alert or metrics, at any depth, in order of their paths. `_…` and `.…` folders are not cases. */
function findRecordings(root: string, directory = root): Recording[] {
  const entries = readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (entries.some(({ name }) => /^(alert\.json|metrics\.csv)(\.gz)?$/.test(name))) {
    const path = relative(root, directory);
    const parts = path.split(sep);
    const dataset = parts.length > 1 ? parts[0] : undefined;
    const id = parts.slice(dataset === undefined ? 0 : 1).join('/') || basename(root);
    return [{ dataset: dataset ?? basename(root), id, directory, path }];
  }
  return entries
    .filter((entry) => entry.isDirectory() && !/^[_.]/.test(entry.name))
    .flatMap((entry) => findRecordings(root, join(directory, entry.name)));
}

const Truth = z.object({
  root_cause_service: z.string(),
  root_cause_type: z.string().min(1).nullish().catch(undefined),
});

function readTruth(truthDirectory: string | undefined, recording: Recording): Pick<RankedCase, 'truth' | 'trueType'> {
  if (truthDirectory === undefined) return {};
  const file = join(truthDirectory, `${recording.path}.json`);
  if (!existsSync(file)) return {};
  const truth = Truth.parse(JSON.parse(readFileSync(file, 'utf8')));
  return {
    truth: truth.root_cause_service,
    ...(truth.root_cause_type ? { trueType: truth.root_cause_type } : {}),
  };
}

function rankedCase(recording: Recording, reply: RankingReply, truthDirectory: string | undefined): RankedCase {
  const { dataset, id } = recording;
  const none = { ranked: [], confidence: 0, type: 'unknown', briefTokens: 0, rawTokens: 0, cpuMs: 0 };
  return { dataset, id, ...none, ...reply, ...readTruth(truthDirectory, recording) };
}

function viewUntil(value: string | undefined): View {
  try {
    const seconds = readSeconds('until', value);
    return seconds === undefined ? {} : { untilAfterAlertMs: seconds * 1000 };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return endWithUsage(error.message, USAGE);
  }
}

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    cases: { type: 'string' },
    truth: { type: 'string' },
    until: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  if (values.cases === undefined) endWithUsage('--cases is missing', USAGE);
  const view = viewUntil(values.until);
  const root = values.cases;
  const recordings = existsSync(root) ? findRecordings(root) : [];
  if (recordings.length === 0) {
    process.stderr.write(`No recordings in ${root}: nothing to measure.\n`);
    return;
  }
  const requests = recordings.map(({ directory }) => ({ directory, ...view }));
  const replies = await rankAll(requests, (done, request, reply) => {
    const outcome = 'error' in reply ? reply.error : `${Math.round(reply.ms)} ms`;
    process.stderr.write(`${done}/${recordings.length} ${relative(root, request.directory) || '.'}: ${outcome}\n`);
  });
  const cases = replies.map((reply, i) => rankedCase(recordings[i] as Recording, reply, values.truth));
  const unscored = cases.filter(({ truth }) => truth === undefined).length;
  if (values.truth !== undefined && unscored > 0) {
    const example = join(values.truth, `${recordings[0]?.path ?? 'CASE'}.json`);
    process.stderr.write(
      `No truth for ${unscored} of ${cases.length} cases, which are not scored; looked for files like ${example}\n`,
    );
  }
  const result = score(cases);
  const until = view.untilAfterAlertMs === undefined ? {} : { untilSeconds: view.untilAfterAlertMs / 1000 };
  process.stdout.write(
    values.json ? `${JSON.stringify({ bench: 'rca', ...until, ...result })}\n` : printResult(result),
  );
}

function score(cases: readonly RankedCase[]): RcaResult {
  const halves = splitHalves(cases);
  return {
    ...scoreDatasets(cases),
    reliability: reliabilityTable(cases),
    types: scoreTypes(cases),
    halves: { a: scoreDatasets(halves.a), b: scoreDatasets(halves.b) },
    cases,
  };
}

await main();

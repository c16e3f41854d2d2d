import { TemplateMiner } from '../src/funnel/logs/template-miner.ts';
import { scoreGrouping, type GroupingScore } from './log-scoring.ts';
import { LABELLED_BY, ownSets, readSets, type LabelledBy, type LogSet } from './log-sets.ts';
import { measureSpeed, type LogSpeed } from './log-speed.ts';
import { readOptions } from './options.ts';

/**
 * How well the template miner groups labelled log lines, and how fast it is: on the project's own families and, with
 * `--data`, on tab-separated files with the columns raw, content, event_id and corrected_id. Speed is measured on a
 * million lines, with `--quick` on a twentieth. One configuration for all.
 */
const USAGE = 'npm run bench:logs -- [--data DIR] [--quick] [--json]';
const COLUMNS = ['content', 'raw'] as const;
type Column = (typeof COLUMNS)[number];

interface Result extends GroupingScore {
  readonly name: string;
  readonly column: Column;
  readonly labels: LabelledBy;
  readonly lines: number;
}

function mine(lines: readonly string[]): string[] {
  const miner = new TemplateMiner();
  const ids = lines.map((line) => miner.add(line));
  miner.finish();
  return ids.map((id) => String(miner.group(id)));
}

function scoreSet(set: LogSet): Result[] {
  process.stderr.write(`${set.name}\n`);
  return COLUMNS.flatMap((column) => {
    const predicted = mine(set[column]);
    return set.labels.map(({ by, ofLines }) => ({
      name: set.name,
      column,
      labels: by,
      lines: predicted.length,
      ...scoreGrouping(ofLines, predicted),
    }));
  });
}

/** Means over the sets with such labels; nothing when there are none. */
function averagesOf(column: Column, labels: LabelledBy, results: readonly Result[]) {
  const chosen = results.filter((result) => result.column === column && result.labels === labels);
  if (chosen.length === 0) return [];
  const mean = (of: (result: Result) => number) => chosen.reduce((sum, result) => sum + of(result), 0) / chosen.length;
  return [
    {
      column,
      labels,
      ga: mean((result) => result.ga),
      fga: mean((result) => result.fga),
      top5: mean((result) => result.top5),
      worstGa: Math.min(...chosen.map((result) => result.ga)),
    },
  ];
}

type Average = ReturnType<typeof averagesOf>[number];

function table(results: readonly Result[], averages: readonly Average[]): string {
  const rows = [...results, ...averages.map((average) => ({ name: 'average', ...average }))];
  const lines = rows.map((row) =>
    [
      row.name.padEnd(14),
      row.column.padEnd(8),
      row.labels.padEnd(10),
      ...[row.ga, row.fga, row.top5].map((x) => x.toFixed(3)),
    ].join(' '),
  );
  return ['name           column   labels     GA    FGA   Top5', ...lines].join('\n');
}

function speedTable(speed: LogSpeed): string {
  return [
    `speed against split(' '): mixed ${speed.mixedAgainstSplit.toFixed(2)} (${speed.lines} lines), content ${speed.contentAgainstSplit.toFixed(2)}, raw ${speed.rawAgainstSplit.toFixed(2)}`,
    `random words: ${speed.adversarialAgainstMixed.toFixed(2)} of the speed on mixed lines, memory grows by ${speed.adversarialRssGrowthMb.toFixed(0)} MB`,
    `10,000 mixed lines: ${speed.tenThousandWarmCpuMs.toFixed(0)} ms CPU warm, ${speed.tenThousandColdCpuMs.toFixed(0)} ms cold`,
  ].join('\n');
}

async function main(): Promise<void> {
  const { data, quick, json } = readOptions(USAGE, {
    data: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  const own = ownSets();
  const given = data === undefined ? [] : readSets(data);
  if (data !== undefined && given.length === 0) process.stderr.write(`No labelled logs (*.tsv) in ${data}.\n`);
  const datasets = [...own, ...given].flatMap(scoreSet);
  const average = COLUMNS.flatMap((column) => LABELLED_BY.flatMap((labels) => averagesOf(column, labels, datasets)));
  process.stderr.write('speed\n');
  const samples = given.length > 0 ? given : own;
  const [content = [], raw = []] = COLUMNS.map((column) => samples.flatMap((set) => set[column]));
  const speed = await measureSpeed({ content, raw }, quick);
  if (json) process.stdout.write(`${JSON.stringify({ bench: 'logs', datasets, average, speed })}\n`);
  else process.stdout.write(`${table(datasets, average)}\n${speedTable(speed)}\n`);
}

await main();

import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { TemplateMiner } from '../src/funnel/logs/template-miner.ts';
import { scoreGrouping, type GroupingScore } from './log-scoring.ts';
import { measureSpeed, type LogSpeed } from './log-speed.ts';
import { endWithUsage, readOptions } from './options.ts';

/**
 * `npm run bench:logs -- --data DIR [--quick] [--json]`: how well the template miner groups labelled log lines, and how fast
 * it is, on a million lines or with `--quick` on a twentieth. DIR holds tab-separated files with the columns raw, content, event_id and corrected_id. One configuration for all.
 */
const USAGE = 'npm run bench:logs -- --data DIR [--quick] [--json]';
const COLUMNS = ['content', 'raw'] as const;
const LABELS = ['original', 'corrected'] as const;
type Column = (typeof COLUMNS)[number];
type LabelSet = (typeof LABELS)[number];
const LABEL_COLUMN: Record<LabelSet, string> = { original: 'event_id', corrected: 'corrected_id' };

interface LabelledFile {
  readonly name: string;
  column(name: string): readonly string[];
}

interface Result extends GroupingScore {
  readonly name: string;
  readonly column: Column;
  readonly labels: LabelSet;
  readonly lines: number;
}

function readLabelled(directory: string, file: string): LabelledFile {
  const [header = '', ...rows] = readFileSync(join(directory, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const names = header.replace(/\r$/, '').split('\t');
  const cells = rows.map((row) => row.split('\t'));
  return {
    name: file.replace(/\.tsv$/, ''),
    column: (name) => {
      const index = names.indexOf(name);
      if (index < 0) throw new Error(`${file} has no column "${name}"; it has ${names.join(', ')}.`);
      return cells.map((row) => row[index] ?? '');
    },
  };
}

function mine(lines: readonly string[]): string[] {
  const miner = new TemplateMiner();
  const ids = lines.map((line) => miner.add(line));
  miner.finish();
  return ids.map((id) => String(miner.group(id)));
}

function scoreFile(file: LabelledFile): Result[] {
  process.stderr.write(`${file.name}\n`);
  return COLUMNS.flatMap((column) => {
    const lines = file.column(column);
    const predicted = mine(lines);
    return LABELS.map((labels) => ({
      name: file.name,
      column,
      labels,
      lines: lines.length,
      ...scoreGrouping(file.column(LABEL_COLUMN[labels]), predicted),
    }));
  });
}

function averageOf(column: Column, labels: LabelSet, results: readonly Result[]) {
  const chosen = results.filter((result) => result.column === column && result.labels === labels);
  const mean = (of: (result: Result) => number) => chosen.reduce((sum, result) => sum + of(result), 0) / chosen.length;
  return {
    column,
    labels,
    ga: mean((result) => result.ga),
    fga: mean((result) => result.fga),
    top5: mean((result) => result.top5),
    worstGa: Math.min(...chosen.map((result) => result.ga)),
  };
}

function table(results: readonly Result[], averages: readonly ReturnType<typeof averageOf>[]): string {
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
  const values = readOptions(USAGE, {
    data: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  const directory = values.data ?? endWithUsage('--data is missing', USAGE);
  const names = existsSync(directory)
    ? readdirSync(directory)
        .filter((file) => file.endsWith('.tsv'))
        .toSorted()
    : [];
  if (names.length === 0) {
    process.stderr.write(`No labelled logs (*.tsv) in ${directory}: nothing to measure.\n`);
    return;
  }
  const files = names.map((file) => readLabelled(directory, file));
  const datasets = files.flatMap(scoreFile);
  const average = COLUMNS.flatMap((column) => LABELS.map((labels) => averageOf(column, labels, datasets)));
  const [content = [], raw = []] = COLUMNS.map((column) => files.flatMap((file) => file.column(column)));
  process.stderr.write('speed\n');
  const speed = await measureSpeed({ content, raw }, values.quick);
  if (values.json) process.stdout.write(`${JSON.stringify({ bench: 'logs', datasets, average, speed })}\n`);
  else process.stdout.write(`${table(datasets, average)}\n${speedTable(speed)}\n`);
}

await main();

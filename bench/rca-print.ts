import { sanitize } from '../src/policy/untrusted.ts';
import type { RankedCase, ReliabilityBin, Score, Scores } from './rca-scoring.ts';
import type { TypeScore } from './rca-types.ts';

/** Everything that a run found out. */
export interface RcaResult extends Scores {
  readonly reliability: readonly ReliabilityBin[];
  readonly types: TypeScore;
  readonly halves: { readonly a: Scores; readonly b: Scores };
  readonly cases: readonly RankedCase[];
}

/** The result as tables for people, for a terminal: names come from the recordings. What needs the truth is left out where there is none. */
export function printResult(result: RcaResult): string {
  const scores = [...result.datasets, result.pooled];
  const sections = [result.cases.map(caseLine), scores.flatMap(scoreLines)];
  if (result.pooled.ac1 !== undefined) sections.push(halfLines(result), reliabilityLines(result.reliability));
  if (result.types.words.length > 0) sections.push(typeLines(result.types));
  return sanitize(`${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`);
}

function caseLine(each: RankedCase): string {
  if (each.error !== undefined) return `${each.dataset}/${each.id}: error: ${each.error}`;
  const mark = each.truth === undefined ? '' : each.ranked[0] === each.truth ? ' ✓' : ` ✗ (${each.truth})`;
  const first = each.ranked.slice(0, 3).join(', ');
  const size = `${each.briefTokens} of ${each.rawTokens} tokens; ${Math.round(each.cpuMs)} ms CPU`;
  return `${each.dataset}/${each.id}: ${first}${mark}; ${each.type}, confidence ${each.confidence}; ${size}`;
}

const NAME_WIDTH = 14;
const figure = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(3)).padStart(5);

function scoreLines(score: Score): string[] {
  const interval = score.ac1 === undefined ? '' : ` (95 %: ${figure(score.ac1Low)} to ${figure(score.ac1High)})`;
  return [
    [
      score.name.padEnd(NAME_WIDTH),
      `${score.cases} cases, ${score.errors} errors`.padEnd(22),
      `AC@1 ${figure(score.ac1)}${interval}  AC@3 ${figure(score.ac3)}  Avg@5 ${figure(score.avg5)}  ECE ${figure(score.ece)}`,
    ].join('  '),
    [
      ' '.repeat(NAME_WIDTH),
      `brief ≤ ${score.briefTokensMax}, median ${score.briefTokensMedian} of ${score.rawTokensMedian} tokens (−${(100 * score.reductionMedian).toFixed(1)} %)`,
      `CPU ${Math.round(score.cpuMsMedian)} ms median, ${Math.round(score.cpuMsMax)} ms largest`,
    ].join('  '),
  ];
}

function halfLines({ halves }: RcaResult): string[] {
  const [a, b] = [halves.a, halves.b].map(({ datasets, pooled }) => [...datasets, pooled]) as [Score[], Score[]];
  const short = (score: Score | undefined) =>
    score
      ? `${String(score.cases).padStart(3)} cases  AC@1 ${figure(score.ac1)}  AC@3 ${figure(score.ac3)}  Avg@5 ${figure(score.avg5)}  ECE ${figure(score.ece)}`
      : 'no cases';
  const lines = a.map((one) => {
    const other = b.find(({ name }) => name === one.name);
    return `${one.name.padEnd(NAME_WIDTH)}  A ${short(one)}  |  B ${short(other)}`;
  });
  return ['Halves: cases at odd (A) and even (B) places in the order of their names', ...lines];
}

function reliabilityLines(bins: readonly ReliabilityBin[]): string[] {
  const rows = bins
    .filter(({ cases }) => cases > 0)
    .map(
      ({ from, to, cases, confidence, accuracy }) =>
        `${from.toFixed(1)}–${to.toFixed(1)}  ${String(cases).padStart(5)}  ${figure(confidence)}  ${figure(accuracy)}`,
    );
  return ['Reliability, pooled: confidence stated against share right', 'stated   cases   mean  right', ...rows];
}

function typeLines({ cases, accuracy, words }: TypeScore): string[] {
  const unscored = words.filter(({ means }) => means.length === 0);
  const left = unscored.reduce((sum, row) => sum + row.cases, 0);
  const leftOut = left > 0 ? `; ${left} not scored: ${unscored.map(({ word }) => word).join(', ')}` : '';
  const rows = words.map(({ word, means, cases: n, stated }) => {
    const said = Object.entries(stated).map(([type, count]) => `${type} ${count}`);
    return `  ${word} (${n}; right: ${means.join(' or ') || 'no word for it'}): ${said.join(', ')}`;
  });
  return [`Type of the first suspect: ${figure(accuracy).trim()} right of ${cases} cases${leftOut}`, ...rows];
}

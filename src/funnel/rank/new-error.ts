import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { LogTemplate } from '../logs/templated-logs.ts';
import { templateItem } from '../logs/log-layer.ts';
import { measureLogs, type LogMeasures } from '../logs/log-measures.ts';
import { numberWord } from '../metrics/number-words.ts';
import { strongestByService, type Clue, type RankContext } from './clue.ts';
import { meaningOfError } from './error-meaning.ts';
import type { LogComparison, LogLine } from './log-lines.ts';
import { mentionFinder } from './mentions.ts';

/** Log-likelihood surplus that counts fully. */
const FULL_SURPLUS = 25;
const WITHOUT_USUAL = 0.6;
/** A template that more services than this write is a symptom that spreads. */
const SPREADING_SERVICES = 3;
const SPREADING = 0.5;
/** A line that names another service: how much it blames that one, and what is left for its writer. */
const BLAMED = 0.6;
const WRITER_OF_BLAME = 0.25;

/**
 * New or bursting error lines. Measures the surplus of an error template over its usual rate as a log-likelihood ratio
 * (n ln(n/µ) − (n − µ), the Poisson deviance without its factor 2). What is known anywhere in the fault-free time is
 * background. A message that names another service points there and away from its writer.
 */
export function newErrorClues(context: RankContext, logs: LogComparison): Clue[] {
  const mentions = mentionFinder(context.model.services.names);
  const groups = groupErrors(logs.now, mentions);
  const usual = countUsualErrors(logs.usual);
  const writers = new Map<number, number>();
  for (const { template } of groups.values()) writers.set(template.number, (writers.get(template.number) ?? 0) + 1);
  const measures = once(() => measureAll(context));
  const clues = [...groups.values()].flatMap((group) => {
    const expected = expectedCount(group, usual, logs);
    if (group.count <= expected) return [];
    const surplus = group.count * Math.log(group.count / expected) - (group.count - expected);
    const spreads = (writers.get(group.template.number) ?? 0) > SPREADING_SERVICES;
    const strength =
      Math.min(1, surplus / FULL_SURPLUS) * (logs.hasUsual ? 1 : WITHOUT_USUAL) * (spreads ? SPREADING : 1);
    return cluesOf(group, expected, strength, () => [templateItem(group.template.number, measures())]);
  });
  return strongestByService(clues);
}

interface ErrorGroup {
  readonly service: string;
  readonly template: LogTemplate;
  count: number;
  firstMs: number;
  /** Lines that name another service, by that service. */
  readonly blames: Map<string, number>;
}

const groupKey = (line: LogLine) => `${line.template.number} ${line.service}`;

function groupErrors(
  lines: readonly LogLine[],
  mentions: (text: string) => readonly string[],
): Map<string, ErrorGroup> {
  const groups = new Map<string, ErrorGroup>();
  for (const line of lines) {
    if (!line.template.isError) continue;
    const { service, template, record } = line;
    const group = groups.get(groupKey(line)) ?? { service, template, count: 0, firstMs: Infinity, blames: new Map() };
    groups.set(groupKey(line), group);
    group.count++;
    if (record.timeMs < group.firstMs) group.firstMs = record.timeMs;
    const blamed = mentions(record.message).findLast((name) => name !== service);
    if (blamed) group.blames.set(blamed, (group.blames.get(blamed) ?? 0) + 1);
  }
  return groups;
}

interface UsualErrors {
  readonly byGroup: ReadonlyMap<string, number>;
  readonly byTemplate: ReadonlyMap<number, number>;
}

function countUsualErrors(lines: readonly LogLine[]): UsualErrors {
  const byGroup = new Map<string, number>();
  const byTemplate = new Map<number, number>();
  for (const line of lines) {
    if (!line.template.isError) continue;
    byGroup.set(groupKey(line), (byGroup.get(groupKey(line)) ?? 0) + 1);
    byTemplate.set(line.template.number, (byTemplate.get(line.template.number) ?? 0) + 1);
  }
  return { byGroup, byTemplate };
}

/** The log layer's own view of the templates, so that a cited template reads the same here and there. */
function measureAll({ model, input }: RankContext): LogMeasures {
  const { telemetry, services, triggerMs, window } = model;
  return measureLogs({
    logs: telemetry.logs,
    reference: telemetry.reference.logs,
    templated: input.templated,
    services,
    triggerMs,
    windowFromMs: window.fromMs,
    windowToMs: window.toMs,
  });
}

function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: compute() }).value;
}

function expectedCount(group: ErrorGroup, usual: UsualErrors, logs: LogComparison): number {
  const same = (usual.byGroup.get(`${group.template.number} ${group.service}`) ?? 0) * logs.ratio;
  const elsewhere = usual.byTemplate.get(group.template.number) ?? 0;
  const background = elsewhere > 0 ? Math.max(same, 0.5 * elsewhere * logs.ratio, 2) : same;
  // Half a line stands for what the usual time was too short to show.
  return background + (logs.hasUsual ? 0.5 : 1);
}

function cluesOf(group: ErrorGroup, expected: number, strength: number, facts: Clue['facts']): Clue[] {
  const [blamed, blames] = [...group.blames].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
  const isBlame = [...group.blames.values()].reduce((total, n) => total + n, 0) > group.count / 2;
  const text = group.template.text.slice(0, 100);
  const writerClue: Clue = {
    type: 'new-error',
    service: group.service,
    strength: strength * (isBlame ? WRITER_OF_BLAME : 1),
    statement: `${group.service} logs a new or bursting error ${group.count} times (${numberWord(expected)} expected): ${text}`,
    rootCauseType: meaningOfError(group.template.sample),
    facts,
  };
  if (!isBlame) return [writerClue];
  const statement = `${group.service} complains about ${blamed} in ${blames} error lines: ${text}`;
  const rootCauseType: RootCauseType = 'unknown';
  const blameStrength = strength * BLAMED * (blames / group.count);
  return [writerClue, { type: 'new-error', service: blamed, strength: blameStrength, statement, rootCauseType, facts }];
}

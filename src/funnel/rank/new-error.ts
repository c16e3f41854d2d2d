import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { LogTemplate } from '../logs/templated-logs.ts';
import { messageStart } from '../logs/line-header.ts';
import { templateItem } from '../logs/log-layer.ts';
import { measureLogs, type LogMeasures } from '../logs/log-measures.ts';
import { clip } from '../../policy/untrusted.ts';
import { numberWord } from '../metrics/number-words.ts';
import type { Clue, RankContext } from './clue.ts';
import { meaningOfError } from './error-meaning.ts';
import type { LogComparison, LogLine } from './log-lines.ts';
import { failsAlone, isReached, isUnresolved, lastingNames, type Lookups } from './lookups.ts';
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
/** A line that only says with which status a request was answered: everybody on the way from the cause to the user writes it. */
const ANSWER = /\b(GET|POST|PUT|PATCH|DELETE|HEAD)\b["' ]+\S+( HTTP\/[\d.]+)?["']? +5\d\d\b/;
const ONLY_ANSWERS = 0.4;
/** The name server of the cluster, by the name of its Deployment in nearly all of them. */
const NAME_SERVER = 'coredns';
const MAX_QUOTE = 140;

/**
 * New or bursting error lines. Measures the surplus of an error template over its usual rate as a log-likelihood ratio
 * (n ln(n/µ) − (n − µ), the Poisson deviance without its factor 2). What is known anywhere in the fault-free time is
 * background. A message that names another service points there and away from its writer, unless what it reports is the writer's own: a
 * pool, a disk. Blame passes on: who is blamed but blames a service itself in most of its new errors only hands it along. All
 * templates of a service are returned; the heaviest counts, the others help to name the type.
 */
export function newErrorClues(context: RankContext, logs: LogComparison): Clue[] {
  const groups = [...groupErrors(logs.now, mentionFinder(context.model.services.names)).values()];
  const usual = countUsualErrors(logs.usual);
  const writers = new Map<number, number>();
  for (const { template } of groups) writers.set(template.number, (writers.get(template.number) ?? 0) + 1);
  const surplus = groups.flatMap((group): Surplus[] => {
    const expected = expectedCount(group, usual, logs);
    if (group.count <= expected) return [];
    const deviance = group.count * Math.log(group.count / expected) - (group.count - expected);
    const spreads = (writers.get(group.template.number) ?? 0) > SPREADING_SERVICES;
    const strength =
      Math.min(1, deviance / FULL_SURPLUS) *
      (logs.hasUsual ? 1 : WITHOUT_USUAL) *
      (spreads ? SPREADING : 1) *
      (ANSWER.test(group.template.sample) ? ONLY_ANSWERS : 1);
    return [{ group, expected, strength }];
  });
  const measures = once(() => measureAll(context));
  const names: Names = {
    ofServices: lastingNames(context.model.telemetry.objects),
    unresolvedOnlyBy: failsAlone(surplus.map(({ group }) => group)),
  };
  const culprit = followBlame(surplus, names);
  const clues = surplus.flatMap((each) =>
    cluesOf(each, culprit, names, () => [templateItem(each.group.template.number, measures())]),
  );
  return clues.filter(({ strength }) => strength > 0);
}

/** An error template of a service beyond its usual rate. */
interface Surplus {
  readonly group: ErrorGroup;
  readonly expected: number;
  readonly strength: number;
}

interface Names {
  readonly ofServices: ReadonlySet<string>;
  /** The service that alone cannot resolve names. */
  readonly unresolvedOnlyBy: string | undefined;
}

interface ErrorGroup extends Lookups {
  readonly template: LogTemplate;
  count: number;
  /** Lines that name another service, by that service. */
  readonly blames: Map<string, number>;
  unresolved: number;
  reached: number;
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
    const group = groups.get(groupKey(line)) ?? {
      service,
      template,
      count: 0,
      blames: new Map(),
      unresolved: 0,
      reached: 0,
    };
    groups.set(groupKey(line), group);
    group.count++;
    const blamed = mentions(record.message).findLast((name) => name !== service);
    if (!blamed) continue;
    group.blames.set(blamed, (group.blames.get(blamed) ?? 0) + 1);
    if (isUnresolved(record.message)) group.unresolved++;
    else if (isReached(record.message)) group.reached++;
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

interface Blame {
  readonly service: string;
  readonly lines: number;
}

/** Who most lines of a group blame, and in how many; undefined when they are about their writer. */
function blameOf(group: ErrorGroup): Blame | undefined {
  const all = [...group.blames.values()].reduce((total, n) => total + n, 0);
  if (all <= group.count / 2) return undefined;
  const [service, lines] = [...group.blames].reduce((a, b) => (b[1] > a[1] ? b : a));
  const { ownAt } = meaningOfError(group.template.sample);
  const namedAt = group.template.sample.toLowerCase().indexOf(service.toLowerCase());
  return ownAt !== undefined && (namedAt < 0 || namedAt > ownAt) ? undefined : { service, lines };
}

/** Whom a blame is about: a name that lasts, and is not known all the same, speaks against the name server, or the only one who cannot resolve it. */
function accusedBy(group: ErrorGroup, blame: Blame, names: Names): string {
  const isNameLost = group.unresolved > blame.lines / 2 && names.ofServices.has(blame.service);
  if (!isNameLost) return blame.service;
  return names.unresolvedOnlyBy === group.service ? group.service : NAME_SERVER;
}

/** From a blamed service to the end of the chain of blame. A service hands blame on when most of its new error lines blame one other. */
function followBlame(surplus: readonly Surplus[], names: Names): (blamed: string) => string {
  const lines = new Map<string, number>();
  const blames = new Map<string, Map<string, number>>();
  for (const { group } of surplus) {
    const { service, count } = group;
    lines.set(service, (lines.get(service) ?? 0) + count);
    const blame = blameOf(group);
    if (!blame) continue;
    const accused = accusedBy(group, blame, names);
    const ofService = blames.get(service) ?? new Map<string, number>();
    ofService.set(accused, (ofService.get(accused) ?? 0) + blame.lines);
    blames.set(service, ofService);
  }
  const next = (service: string) =>
    [...(blames.get(service) ?? [])].find(([, n]) => n > (lines.get(service) ?? 0) / 2)?.[0];
  return (blamed) => {
    const seen = new Set([blamed]);
    let last = blamed;
    for (let to = next(last); to !== undefined && !seen.has(to); to = next(last)) {
      seen.add(to);
      last = to;
    }
    return last;
  };
}

/** What the text means for the service that others blame; the other meanings say nothing about it. */
const MEANS_THE_BLAMED: ReadonlySet<RootCauseType> = new Set([
  'connection_exhaustion',
  'certificate',
  'dns',
  'quota',
  'disk_full',
  'memory_exhaustion',
  'database',
]);

function cluesOf(
  { group, expected, strength }: Surplus,
  culprit: (blamed: string) => string,
  names: Names,
  facts: Clue['facts'],
): Clue[] {
  const { service, count, template } = group;
  const { type: rootCauseType } = meaningOfError(template.text);
  const blame = blameOf(group);
  const usually = expected < 1 ? 'none is usual' : `${numberWord(expected)} are usual`;
  const said = `${count} new error ${count === 1 ? 'line' : 'lines'} of ${service} where ${usually}: "${quote(template.sample)}"`;
  const own = { type: 'new-error', service, strength, statement: () => said, rootCauseType, facts } as const;
  if (!blame) return [own];
  const accused = accusedBy(group, blame, names);
  if (accused === service) return [own];
  const guilty = culprit(accused);
  // Who is refused for want of a right lacks it himself; else the writer only depends on the other.
  const ofWriter = rootCauseType === 'permission' ? rootCauseType : 'dependency_failure';
  const writer: Clue = { ...own, strength: strength * WRITER_OF_BLAME, rootCauseType: ofWriter };
  // Blame that comes back to its writer is nobody else's.
  if (guilty === service) return [own];
  const isOfBlamed = MEANS_THE_BLAMED.has(rootCauseType) && guilty === blame.service;
  const blamed: Clue = {
    ...own,
    type: 'blame',
    service: guilty,
    caller: service,
    strength: strength * BLAMED * (blame.lines / count),
    statement: () => `named as the reason by ${said}`,
    rootCauseType: accused !== blame.service ? 'dns' : isOfBlamed ? rootCauseType : 'unknown',
  };
  return [writer, blamed];
}

function quote(line: string): string {
  return clip(line.slice(messageStart(line, line.length)) || line, MAX_QUOTE);
}

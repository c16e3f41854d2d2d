import type { Span } from '../../domain/telemetry.ts';
import { messageStart } from '../logs/line-header.ts';
import type { Fact } from '../metrics/metric-evidence.ts';
import { saturate } from '../metrics/effect.ts';
import { percent, type Clue, type RankContext } from './clue.ts';
import type { LogComparison, LogLine } from './log-lines.ts';

/** Bounds of the work: traces a service and side, and steps (lines, operations) a service. */
const MAX_TRACES = 600;
const MAX_STEPS = 60;
const MIN_TRACES = 5;
/** The line must follow its anchor in this share of fault-free traces, in a fixed ratio. */
const MIN_REGULARITY = 0.9;
const MIN_ABSENCES = 3;
const MIN_LOSS = 0.1;
const HALF_ABSENCES = 6;

/**
 * Expected lines that are missing. Measures how often, in the same trace and service, a log line that always follows an anchor
 * (another line or a span's operation) no longer does: code that returns early or throws usually logs nothing; the path
 * just stops. The most forgiving anchor decides, so fewer requests are not taken for missing lines, and a line that steps in
 * for the missing one (another branch, not a stop) is subtracted. Needs trace ids and a fault-free time: the
 * provider's reference, else what precedes the incident.
 */
export function missingLineClues(context: RankContext, logs: LogComparison): Clue[] {
  if (!logs.hasUsual) return [];
  const { telemetry, services, window } = context.model;
  const canonical = (name: string) => services.canonical(name);
  const isDuring = (span: Span) => span.timeUs >= window.fromMs * 1000 && span.timeUs <= window.toMs * 1000;
  const now = collectPaths(logs.now, telemetry.spans.filter(isDuring), canonical);
  const calm = telemetry.reference.spans.length
    ? telemetry.reference.spans
    : telemetry.spans.filter((span) => span.timeUs < window.fromMs * 1000);
  const usual = collectPaths(logs.usual, calm, canonical);
  return [...usual].flatMap(([service, before]) => {
    const during = now.get(service);
    if (!during || before.size < MIN_TRACES || during.size < MIN_TRACES) return [];
    const worst = worstLoss(countSteps(before, during));
    return worst ? [missingLineClue(service, worst)] : [];
  });
}

/** A step is a line (by its stem) or the operation of a span. */
const LINE = 'line ';
const OPERATION = 'operation ';
/** A stem ends at the first variable after this many characters, and here at the latest. */
const MIN_STEM = 24;
const MAX_STEM = 90;
const VARIABLE = '<*>';

/**
 * The constant front of a message, which names the log statement better than a whole template does here: lines of one statement that
 * differ in an enumerated value or in the length of a list (`types: [gold]`, `types: [gold, silver]`) are one step, because
 * which of them comes depends on the data, not on health.
 */
export function stemOf(message: string): string {
  const end = Math.min(message.length, 400);
  const masked = message
    .slice(messageStart(message, end), end)
    .replace(/"[^"]{0,200}"|'[^']{0,200}'/g, VARIABLE)
    .replace(/([:=]\s*)(?!<)[^\s\],;:={}()[]+/g, `$1${VARIABLE}`)
    .replace(/[\w.]*\d[\w.\-:]*/g, VARIABLE);
  const variable = masked.indexOf(VARIABLE, MIN_STEM);
  return masked.slice(0, variable < 0 ? MAX_STEM : Math.min(variable, MAX_STEM)).trimEnd();
}

/** Steps of one service in one trace, with how often. */
type Path = Map<string, number>;
type Paths = Map<string, Path>;

function collectPaths(
  lines: readonly LogLine[],
  spans: readonly Span[],
  canonical: (name: string) => string,
): Map<string, Paths> {
  const byService = new Map<string, Paths>();
  const pathOf = (service: string, traceId: string): Path | undefined => {
    const paths: Paths = byService.get(service) ?? new Map();
    byService.set(service, paths);
    const known = paths.get(traceId);
    if (known || paths.size >= MAX_TRACES) return known;
    const path: Path = new Map();
    paths.set(traceId, path);
    return path;
  };
  const count = (path: Path, step: string) => path.set(step, (path.get(step) ?? 0) + 1);
  for (const { service, template, record } of lines) {
    // An error line is no sign of health: its absence is never missed.
    const path = record.traceId && !template.isError ? pathOf(service, record.traceId) : undefined;
    if (path) count(path, LINE + stemOf(record.message));
  }
  for (const span of spans) {
    const path = pathOf(canonical(span.service), span.traceId);
    if (path) count(path, OPERATION + span.operation);
  }
  return byService;
}

/** One step's count in every trace of either side, as columns: the pairwise comparison below reads them many times. */
interface StepCounts {
  readonly step: string;
  readonly usual: Uint32Array;
  readonly now: Uint32Array;
  readonly usualTraces: number;
  readonly nowTraces: number;
}

function countSteps(before: Paths, during: Paths): StepCounts[] {
  const frequent = new Set([...mostFrequent(before), ...mostFrequent(during)]);
  const column = (paths: Paths, step: string) => Uint32Array.from(paths.values(), (path) => path.get(step) ?? 0);
  const traces = (counts: Uint32Array) => counts.reduce((total, count) => total + (count > 0 ? 1 : 0), 0);
  return [...frequent].map((step) => {
    const [usual, now] = [column(before, step), column(during, step)];
    return { step, usual, now, usualTraces: traces(usual), nowTraces: traces(now) };
  });
}

function mostFrequent(paths: Paths): string[] {
  const traces = new Map<string, number>();
  for (const path of paths.values()) for (const step of path.keys()) traces.set(step, (traces.get(step) ?? 0) + 1);
  const frequent = [...traces].sort((a, b) => b[1] - a[1]).slice(0, MAX_STEPS);
  return frequent.map(([step]) => step);
}

interface Loss {
  readonly step: string;
  /** Absent lines beyond the usual, and their share of the expected ones. */
  readonly absences: number;
  readonly share: number;
}

/** A line against one anchor: how many lines that anchor lets expect now, and which part of them is absent beyond the usual. */
interface Comparison {
  readonly anchor: StepCounts;
  readonly ratio: number;
  readonly expected: number;
  readonly share: number;
}

function worstLoss(steps: readonly StepCounts[]): Loss | undefined {
  let worst: Loss | undefined;
  for (const line of steps) {
    if (!line.step.startsWith(LINE) || line.usualTraces < MIN_TRACES) continue;
    const loss = lossOf(line, steps);
    if (!loss || loss.absences < MIN_ABSENCES || loss.share <= MIN_LOSS) continue;
    if (!worst || strengthOf(loss) > strengthOf(worst)) worst = loss;
  }
  return worst;
}

function strengthOf(loss: Loss): number {
  return saturate(loss.absences, HALF_ABSENCES) * Math.min(1, 0.35 + loss.share);
}

/** What the most forgiving anchor says, less what another line makes up for. */
function lossOf(line: StepCounts, steps: readonly StepCounts[]): Loss | undefined {
  let least: Comparison | undefined;
  for (const anchor of steps) {
    const comparison = compare(line, anchor);
    if (!comparison) continue;
    if (!least || comparison.share * comparison.expected < least.share * least.expected) least = comparison;
  }
  if (!least) return undefined;
  const missing = least.share * least.expected;
  const absences = missing < MIN_ABSENCES ? missing : missing - substitutes(line, least, steps);
  return { step: line.step, absences, share: absences / least.expected };
}

/** Undefined when the line does not regularly follow the anchor in the usual time. */
function compare(line: StepCounts, anchor: StepCounts): Comparison | undefined {
  if (anchor === line || anchor.usualTraces < MIN_TRACES || anchor.nowTraces < MIN_TRACES) return undefined;
  // An anchor in many more traces than the line cannot imply it.
  if (anchor.usualTraces > 1.6 * line.usualTraces + 3) return undefined;
  const ratio = followRatio(line.usual, anchor.usual);
  if (!(ratio > 0)) return undefined;
  const usual = absencesIn(line.usual, anchor.usual, ratio);
  if (usual.complete / anchor.usualTraces < MIN_REGULARITY) return undefined;
  const now = absencesIn(line.now, anchor.now, ratio);
  const share = now.absent / now.expected - usual.absent / usual.expected;
  return { anchor, ratio, expected: now.expected, share };
}

/** Lines per anchor, over the traces that hold the anchor. */
function followRatio(line: Uint32Array, anchor: Uint32Array): number {
  let [anchors, followed] = [0, 0];
  for (let i = 0; i < anchor.length; i++) {
    const count = anchor[i] ?? 0;
    if (count > 0) [anchors, followed] = [anchors + count, followed + (line[i] ?? 0)];
  }
  return anchors > 0 ? followed / anchors : 0;
}

/** How many absences another line of the service makes up for: one that usually comes less often beside this anchor. */
function substitutes(line: StepCounts, { anchor, ratio }: Comparison, steps: readonly StepCounts[]): number {
  let most = 0;
  for (const other of steps) {
    if (other === line || !other.step.startsWith(LINE)) continue;
    const usualRatio = followRatio(other.usual, anchor.usual);
    let stepsIn = 0;
    for (let i = 0; i < anchor.now.length; i++) {
      const count = anchor.now[i] ?? 0;
      const absent = ratio * count - (line.now[i] ?? 0);
      if (absent > 0) stepsIn += Math.max(0, Math.min(absent, (other.now[i] ?? 0) - usualRatio * count));
    }
    most = Math.max(most, stepsIn);
  }
  return most;
}

function absencesIn(line: Uint32Array, anchor: Uint32Array, ratio: number) {
  let [expected, absent, complete] = [0, 0, 0];
  for (let i = 0; i < anchor.length; i++) {
    const count = anchor[i] ?? 0;
    if (count === 0) continue;
    const wanted = ratio * count;
    const found = line[i] ?? 0;
    expected += wanted;
    absent += Math.max(0, wanted - found);
    if (found >= 0.99 * wanted) complete++;
  }
  return { expected, absent, complete };
}

function missingLineClue(service: string, loss: Loss): Clue {
  const text = loss.step.slice(LINE.length);
  const absences = Math.round(loss.absences);
  const share = percent(loss.share);
  const statement = `${service}: a usual log line is missing about ${absences} times, in ${share} of the paths that should have it: ${text}`;
  const fact: Fact = {
    key: `missing-line:${service}/${text}`,
    evidence: { kind: 'log', service, statement, atMs: undefined, numbers: [absences, Math.round(loss.share * 100)] },
  };
  return {
    type: 'missing-line',
    service,
    strength: strengthOf(loss),
    statement: () => statement,
    rootCauseType: 'code_error',
    facts: () => [fact],
  };
}

import { relativeTime } from '../../domain/relative-time.ts';
import type { LogRecord } from '../../domain/telemetry.ts';
import { eventStarts } from '../../funnel/logs/event-folding.ts';
import { templateLogs, type LogTemplate } from '../../funnel/logs/templated-logs.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { CitedLine } from '../evidence/cited-line.ts';
import { compactLogs } from '../evidence/compact-logs.ts';
import type { LogGroup as EqualLines } from '../evidence/deduplicate-logs.ts';
import type { ErrorKind } from '../evidence/error-taxonomy.ts';
import { textOf } from '../evidence/evidence-record.ts';
import { isMoment, spanText } from '../evidence/moments.ts';

const SAMPLE_CHARACTERS = 300;
const SERVICES_NAMED = 3;
const COMPONENTS_NAMED = 5;

export interface LogGroup extends CitedLine {
  readonly count: number;
  readonly isError: boolean;
}

export interface LogSummary {
  /** Errors first, then by count. Counts and times are over all records, before any cut. */
  readonly groups: readonly LogGroup[];
  /** One line for each kind of error; none without errors. */
  readonly errorKinds: readonly string[];
}

interface Tally {
  readonly template: LogTemplate;
  count: number;
  firstMs: number;
  lastMs: number;
  readonly services: Set<string>;
}

/**
 * Log lines in groups: first those of one wording by the rules of SPEC A10, stack traces whole, then what the funnel's miner sees as the same message
 * with other values. `records` are redacted. Of a part of the lines (`isPart`) nothing is said that more lines would make untrue.
 */
export function summarizeLogs(
  records: readonly LogRecord[],
  triggerMs: number,
  searched: string,
  isPart = false,
): LogSummary {
  const events = wholeEvents(records).map(toEvidenceRecord);
  const { compacted_logs, error_taxonomy } = compactLogs(events, events.length, 1);
  const groups = tally(compacted_logs)
    .sort((a, b) => Number(b.template.isError) - Number(a.template.isError) || b.count - a.count)
    .map((group) => toGroup(group, triggerMs, searched, isPart));
  return { groups, errorKinds: error_taxonomy.error_taxonomy.map((kind) => kindText(kind, triggerMs)) };
}

/** Stack frames and causes that a collector has split off go back to the line they belong to. */
function wholeEvents(records: readonly LogRecord[]): readonly LogRecord[] {
  const starts = eventStarts(records);
  const messages = new Map<number, string[]>();
  records.forEach(({ message }, index) => {
    const start = starts[index] ?? index;
    const lines = messages.get(start);
    if (lines) lines.push(message);
    else messages.set(start, [message]);
  });
  return records.flatMap((record, index) => {
    const lines = messages.get(index);
    return lines ? [{ ...record, message: lines.join('\n') }] : [];
  });
}

function toEvidenceRecord({ timeMs, service, level, message }: LogRecord) {
  const timestamp = isMoment(timeMs) ? new Date(timeMs).toISOString() : '';
  return { source_type: service, level, message, timestamp };
}

function tally(lines: readonly EqualLines[]): Tally[] {
  const records = lines.map((line) => ({
    timeMs: Date.parse(line.first_seen),
    service: textOf(line, 'source_type'),
    level: textOf(line, 'level'),
    message: textOf(line, 'message'),
  }));
  const { templates, current } = templateLogs(records, []);
  const tallies = new Map<number, Tally>();
  lines.forEach((line, i) => {
    const template = templates[current[i] ?? -1];
    if (!template) return;
    const group = tallies.get(template.number) ?? {
      template,
      count: 0,
      firstMs: Infinity,
      lastMs: -Infinity,
      services: new Set<string>(),
    };
    group.count += line.count;
    group.firstMs = Math.min(group.firstMs, known(Date.parse(line.first_seen), Infinity));
    group.lastMs = Math.max(group.lastMs, known(Date.parse(line.last_seen), -Infinity));
    group.services.add(textOf(line, 'source_type'));
    tallies.set(template.number, group);
  });
  return [...tallies.values()];
}

const known = (timeMs: number, otherwise: number) => (Number.isNaN(timeMs) ? otherwise : timeMs);

function toGroup(group: Tally, triggerMs: number, searched: string, isPart: boolean): LogGroup {
  const services = [...group.services].filter(Boolean);
  const named = services.slice(0, SERVICES_NAMED).join(', ');
  const others = services.length > SERVICES_NAMED ? ` and ${services.length - SERVICES_NAMED} more services` : '';
  const hasTime = Number.isFinite(group.firstMs);
  const among = isPart ? 'among the lines read ' : '';
  const when = hasTime ? `, ${among}${spanText(group.firstMs, group.lastMs, triggerMs)}` : '';
  const sample = clip(oneLine(group.template.sample), SAMPLE_CHARACTERS);
  const { isError } = group.template;
  const level = isError ? 'error' : group.template.level || 'no level';
  const times = isPart ? `at least ${group.count} times` : group.count === 1 ? 'once' : `${group.count} times`;
  return {
    count: group.count,
    isError,
    key: `tool:${group.template.text}:${level}:${named}:${group.count}:${group.firstMs}-${group.lastMs}`,
    draft: {
      kind: 'log',
      service: services.length === 1 ? services[0] : undefined,
      statement: `${named || 'unknown service'}${others} (${level}), ${times}${when}: ${sample}`,
      atMs: hasTime ? group.firstMs : undefined,
      query: searched,
      numbers: [group.count],
    },
  };
}

/** `ConnectionTimeout 48 (about db-primary, cache_1), first 3 min before the alert`. */
function kindText({ error_type, count, affected_components, first_seen }: ErrorKind, triggerMs: number): string {
  const more = affected_components.length - COMPONENTS_NAMED;
  const named = affected_components.slice(0, COMPONENTS_NAMED).join(', ');
  const about = named ? ` (about ${clip(oneLine(named), 120)}${more > 0 ? ` and ${more} more` : ''})` : '';
  const when = first_seen ? `, first ${relativeTime(Date.parse(first_seen), triggerMs)}` : '';
  return `${error_type} ${count}${about}${when}`;
}

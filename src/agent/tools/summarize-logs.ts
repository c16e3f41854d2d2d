import type { EvidenceDraft } from '../../domain/evidence.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import type { LogRecord } from '../../domain/telemetry.ts';
import { templateLogs, type LogTemplate } from '../../funnel/logs/templated-logs.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';

const SAMPLE_CHARACTERS = 300;
const SERVICES_NAMED = 3;

export interface LogGroup {
  readonly draft: EvidenceDraft;
  readonly key: string;
  readonly count: number;
}

interface Tally {
  readonly template: LogTemplate;
  count: number;
  firstMs: number;
  lastMs: number;
  readonly services: Set<string>;
}

/** Lines of one wording as one group, errors first, then by count. Counts and times are over all records, before any cut. */
export function groupLogs(records: readonly LogRecord[], triggerMs: number, searched: string): readonly LogGroup[] {
  return tally(records)
    .sort((a, b) => Number(b.template.isError) - Number(a.template.isError) || b.count - a.count)
    .map((group) => toGroup(group, triggerMs, searched));
}

function tally(records: readonly LogRecord[]): Tally[] {
  const { templates, current } = templateLogs(records, []);
  const tallies = new Map<number, Tally>();
  records.forEach((record, i) => {
    const template = templates[current[i] ?? -1];
    // A record without a template only continues the event before it (a stack frame).
    if (!template) return;
    const group = tallies.get(template.number) ?? {
      template,
      count: 0,
      firstMs: Infinity,
      lastMs: -Infinity,
      services: new Set<string>(),
    };
    group.count++;
    if (record.timeMs < group.firstMs) group.firstMs = record.timeMs;
    if (record.timeMs > group.lastMs) group.lastMs = record.timeMs;
    group.services.add(record.service);
    tallies.set(template.number, group);
  });
  return [...tallies.values()];
}

function toGroup(group: Tally, triggerMs: number, searched: string): LogGroup {
  const services = [...group.services].filter(Boolean);
  const named = services.slice(0, SERVICES_NAMED).join(', ');
  const others = services.length > SERVICES_NAMED ? ` and ${services.length - SERVICES_NAMED} more services` : '';
  const hasTime = Number.isFinite(group.firstMs);
  const when = hasTime
    ? `, first ${relativeTime(group.firstMs, triggerMs)}, last ${relativeTime(group.lastMs, triggerMs)}`
    : '';
  const sample = clip(oneLine(group.template.sample), SAMPLE_CHARACTERS);
  const level = group.template.isError ? 'error' : group.template.level;
  return {
    count: group.count,
    key: `tool:${group.template.text}:${level}:${named}:${group.count}:${group.firstMs}-${group.lastMs}`,
    draft: {
      kind: 'log',
      service: services.length === 1 ? services[0] : undefined,
      statement: `${named || 'unknown service'}${others} (${level}), ${group.count} times${when}: ${sample}`,
      atMs: hasTime ? group.firstMs : undefined,
      query: searched,
      numbers: [group.count],
    },
  };
}

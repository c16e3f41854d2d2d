import { duration } from '../domain/relative-time.ts';
import type { StormInvestigation, StormSummary } from '../domain/storm.ts';
import { oneLine } from '../policy/untrusted.ts';
import type { Entry, Outline, Span } from './outline.ts';

/** `40 incidents at once`: what a ticket of a storm is called, however it grows. */
export function stormSubject(storm: StormSummary): string {
  return `Alert storm since ${clock(storm.startedAtMs)}`;
}

/** The summary of a storm as an outline: how many, and one line an investigation, gravest first. */
export function stormOutline(storm: StormSummary): Outline {
  const { incidents, alerts, isOver, startedAtMs, updatedAtMs, omitted } = storm;
  const entries = storm.investigations.map(entryOf);
  const section = { title: 'Investigations', isNumbered: false, weight: 'needed', entries } as const;
  return {
    headline: `${isOver ? '🟢 STORM OVER' : '🌩️ ALERT STORM'} · ${incidents} incidents, ${alerts} alerts`,
    lead: [
      [
        plain(
          `${isOver ? 'It took' : 'So far it takes'} ${duration(updatedAtMs - startedAtMs)}, from ${clock(startedAtMs)} on.`,
        ),
      ],
    ],
    facts: [],
    sections:
      entries.length === 0 ? [] : [omitted > 0 ? { ...section, note: `${omitted} more are not listed` } : section],
    footer: [plain('Storm '), { kind: 'code', text: oneLine(storm.id) || 'without id' }],
  };
}

function entryOf({ title, severity, state, summary, members }: StormInvestigation): Entry {
  const others = members > 0 ? `, with ${members} other ${members === 1 ? 'incident' : 'incidents'}` : '';
  const grave = oneLine(severity ?? '');
  const told = oneLine(summary ?? '');
  const head: Span = { kind: 'strong', text: oneLine(title) || 'alert without a name' };
  return {
    line: [head, plain(`${grave && ` · ${grave}`} · ${state}${others}`), ...(told === '' ? [] : [plain(`: ${told}`)])],
    below: [],
  };
}

function clock(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(11, 19)} UTC, ${iso.slice(0, 10)}`;
}

const plain = (text: string): Span => ({ kind: 'plain', text });

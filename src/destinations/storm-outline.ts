import { lasted } from '../domain/relative-time.ts';
import { shareOut, type StormInvestigation, type StormSummary } from '../domain/storm.ts';
import { oneLine } from '../policy/untrusted.ts';
import { clock, code, entry, line, plain, strong, type Entry, type Outline } from './outline.ts';
import { counted } from '../domain/counted.ts';

/** `Alert storm since 10:00:00 UTC, 2026-11-29`: what a ticket of a storm is called, however it grows. */
export function stormSubject(storm: StormSummary): string {
  return `Alert storm since ${clockOf(storm.startedAtMs)}`;
}

/** The summary of a storm as an outline: how many, what became of them, and one line each that no other covers, gravest first. */
export function stormOutline(storm: StormSummary): Outline {
  const { incidents, alerts, isOver, startedAtMs, updatedAtMs, omitted } = storm;
  const entries = storm.investigations.map(entryOf);
  const section = { title: 'Gravest first', isNumbered: false, weight: 'needed', entries } as const;
  const since = clockOf(startedAtMs);
  const times = isOver ? `Lasted ${lasted(updatedAtMs - startedAtMs)}, since ${since}` : `Since ${since}`;
  return {
    // Yellow: that no more incidents join does not mean that those of the storm are over.
    headline: `${isOver ? '🟡 STORM OVER' : '🌩️ ALERT STORM'} · ${counted(incidents, 'incident')}, ${counted(alerts, 'alert')}`,
    lead: [
      line(plain(`${times}. ${shareOut(storm)}.`)),
      ...(isOver ? [line(plain(`No more incidents join it. ${stillFiring(storm)}`))] : []),
    ],
    facts: [],
    sections:
      entries.length === 0 ? [] : [omitted > 0 ? { ...section, note: `${omitted} more are not listed` } : section],
    footer: line(plain('Storm '), code(storm.id), plain(` · as of ${clockOf(updatedAtMs)}`)),
  };
}

function entryOf({ title, severity, state, isFiring, summary, members, incidentId }: StormInvestigation): Entry {
  const others = members > 0 ? ` and ${members} more ${members === 1 ? 'incident' : 'incidents'}` : '';
  return entry([
    strong(oneLine(title) || 'alert without a name'),
    plain(`${severity ? ` (${severity})` : ''}${others} · ${state.replace('-', ' ')}${isFiring ? '' : ', resolved'}`),
    plain(summary ? ` — ${summary}` : ''),
    plain(' · '),
    code(incidentId),
  ]);
}

function stillFiring({ incidents, firing }: StormSummary): string {
  return firing === 0
    ? 'All are resolved.'
    : `${firing} of ${incidents} ${firing === 1 ? 'still fires' : 'still fire'}.`;
}

function clockOf(ms: number): string {
  return clock(new Date(ms).toISOString());
}

import type { ProbeAnswer } from '../../domain/probe-answer.ts';
import type { Probe } from '../../domain/probe.ts';
import { wildcard } from '../../policy/wildcard.ts';
import { toFinding, type Sighting } from './finding.ts';

/** Most objects that one probe tells; of a cluster on fire the first are enough to act. */
const MOST_FINDINGS = 20;

/** What a judge makes of all that came for a probe. */
export interface Judged {
  readonly lookedAt: number;
  readonly seen: readonly Sighting[];
  /** Of what is well, the value nearest to the limit. */
  readonly nearest?: string | undefined;
}

export interface Circumstances {
  readonly nowMs: number;
  /** What `{window}` stands for in messages. */
  readonly window: string;
  /** What the provider said of its answer: that it was cut, for one. */
  readonly note?: string | undefined;
  /** That there is nothing of the kind is an answer, where it was surely asked for: a cluster may have no scheduled jobs. */
  readonly mayBeNone?: boolean;
}

/** The answer to a probe: unanswered when there was nothing to judge, which is no sign of health. */
export function answerOf(probe: Probe, { lookedAt, seen, nearest }: Judged, around: Circumstances): ProbeAnswer {
  const isNone = lookedAt === 0 && around.mayBeNone === true && around.note === undefined;
  if (lookedAt === 0 && !isNone) return unanswered(probe, around.note ?? 'too few samples in the window');
  const { name, kind, severity } = probe;
  const worst = onePerObject(seen.filter((one) => !isIgnored(probe.ignore, one)));
  const told = worst.slice(0, MOST_FINDINGS);
  const more = worst.length > told.length ? `${worst.length - told.length} more objects are not told` : undefined;
  const note = [around.note, more].filter(Boolean).join('; ');
  return {
    name,
    kind,
    severity,
    status: told.length > 0 ? 'found' : 'clear',
    lookedAt,
    ...(nearest === undefined || told.length > 0 ? {} : { nearest }),
    ...(note === '' ? {} : { note }),
    findings: told.map((one) => toFinding(probe, one, around)),
  };
}

/** A probe that could not be asked or judged, and why. */
export function unanswered({ name, kind, severity }: Probe, note: string): ProbeAnswer {
  return { name, kind, severity, status: 'unanswered', lookedAt: 0, note, findings: [] };
}

/** The worst of each object, worst first: pods of a workload are one. */
function onePerObject(seen: readonly Sighting[]): readonly Sighting[] {
  const known = new Set<string>();
  return seen
    .toSorted((a, b) => b.weight - a.weight || (a.object < b.object ? -1 : 1))
    .filter(({ object }) => !known.has(object) && known.add(object));
}

function isIgnored(patterns: readonly string[], { service = '', object }: Sighting): boolean {
  return patterns.map(wildcard).some((matches) => matches(object) || matches(service));
}

import type { SuspectReason } from '../domain/brief.ts';
import type { Look } from '../domain/look.ts';
import type { Revision } from '../domain/report.ts';
import { clip } from '../policy/untrusted.ts';

/** Of confidence, in hundredths, as it is shown: a smaller move changes nobody's mind. */
const TELLING_MOVE = 15;
/** Of a reason's score: less is everyday noise (the ranker gives no such reason). */
const TELLING_SCORE = 0.1;
const MOST_REASONS = 2;
const MOST_CITED = 4;

type Change = Revision['changes'][number];

/**
 * What the later look at an incident finds different from the earlier one: the leading suspect, its type, the status, and the confidence
 * when it moved by .15 or more. Each change says which evidence gained or lost weight since, and cites the later report. No changes: the
 * later look confirms the earlier one. Pure.
 */
export function compareLooks(earlier: Look, later: Look): Revision {
  const { status, root_cause_service, root_cause_type, confidence } = earlier;
  return {
    of: {
      id: earlier.reportId,
      generatedAt: new Date(earlier.generatedAtMs).toISOString(),
      seenUntil: earlier.seenUntilMs === null ? null : new Date(earlier.seenUntilMs).toISOString(),
      status,
      root_cause_service,
      root_cause_type,
      confidence: Math.round(confidence * 100) / 100,
    },
    changes: [
      ...changeOfSuspect(earlier, later),
      ...changeOfConfidence(earlier, later),
      ...changeOfType(earlier, later),
      ...changeOfStatus(earlier, later),
    ],
  };
}

function changeOfSuspect(earlier: Look, later: Look): readonly Change[] {
  const [from, to] = [earlier.root_cause_service, later.root_cause_service];
  if (from === to) return [];
  if (to === null) {
    const statement = `${from} is no longer suspected: nothing that is known now stands out.`;
    return [{ what: 'root_cause_service', from, to, statement, evidence: [] }];
  }
  const was = from === null ? 'No suspect stood out' : `The leading suspect was ${from}`;
  const risen = risenReasons(earlier, later, to);
  if (risen.length > 0 || from === null) {
    return [{ what: 'root_cause_service', from, to, ...told(`${was}; now it is ${to}`, risen, later) }];
  }
  // Nothing new speaks for the one: then less speaks for the other.
  const faded = risenReasons(later, earlier, from).map(({ statement }) => statement);
  const why = faded.length > 0 ? `, for this no longer weighs as much: ${faded.join('; ')}` : '';
  return [{ what: 'root_cause_service', from, to, ...told(`${was}; now it is ${to}${why}`, [], later) }];
}

function changeOfConfidence(earlier: Look, later: Look): readonly Change[] {
  const service = later.root_cause_service;
  const [from, to] = [earlier.confidence, later.confidence];
  // Two suspects' confidences are no two values of one thing.
  if (service !== earlier.root_cause_service || Math.round(100 * Math.abs(to - from)) < TELLING_MOVE) return [];
  const about = service === null ? '' : ` in ${service}`;
  const move = `Confidence${about} ${to > from ? 'rose' : 'fell'} from ${from.toFixed(2)} to ${to.toFixed(2)}`;
  const change = { what: 'confidence', from: from.toFixed(2), to: to.toFixed(2) } as const;
  if (service === null || to > from) {
    return [{ ...change, ...told(move, service === null ? [] : risenReasons(earlier, later, service), later) }];
  }
  const rival = strongestRival(earlier, later, service);
  if (rival)
    return [{ ...change, ...told(`${move}: ${rival.service} is suspected more than before`, rival.risen, later) }];
  const faded = risenReasons(later, earlier, service).map(({ statement }) => statement);
  const why = faded.length > 0 ? `: this no longer weighs as much: ${faded.join('; ')}` : '';
  return [{ ...change, ...told(`${move}${why}`, [], later) }];
}

function changeOfType(earlier: Look, later: Look): readonly Change[] {
  const [from, to] = [earlier.root_cause_type, later.root_cause_type];
  if (from === to) return [];
  const service = later.root_cause_service;
  // Of another suspect the type goes without saying why: that stands with the suspect.
  const isSame = service === earlier.root_cause_service;
  const risen = service === null || !isSame ? [] : risenReasons(earlier, later, service);
  const [was, is] = [from.replaceAll('_', ' '), to.replaceAll('_', ' ')];
  return [{ what: 'root_cause_type', from, to, ...told(`The type was ${was}; now it is ${is}`, risen, later) }];
}

function changeOfStatus(earlier: Look, later: Look): readonly Change[] {
  const [from, to] = [earlier.status, later.status];
  if (from === to) return [];
  const statement = `The earlier look was ${from}; this one is ${to}.`;
  return [{ what: 'status', from, to, statement, evidence: later.evidence.slice(0, MOST_CITED) }];
}

/** Reasons of the service that weigh more in the later look, what gained most first; at most two. */
export function risenReasons(earlier: Look, later: Look, service: string): readonly SuspectReason[] {
  const before = reasonsOf(earlier, service);
  const weightBefore = (type: string) =>
    Math.max(0, ...before.filter((reason) => reason.type === type).map(({ score }) => score));
  return reasonsOf(later, service)
    .map((reason) => ({ reason, gain: reason.score - weightBefore(reason.type) }))
    .filter(({ gain }) => gain >= TELLING_SCORE)
    .toSorted((a, b) => b.gain - a.gain)
    .slice(0, MOST_REASONS)
    .map(({ reason }) => reason);
}

function reasonsOf({ suspects }: Look, service: string): readonly SuspectReason[] {
  return suspects.find((suspect) => suspect.service === service)?.reasons ?? [];
}

/** The other suspect that gained most since; undefined when none did. */
function strongestRival(earlier: Look, later: Look, service: string) {
  return later.suspects
    .filter((suspect) => suspect.service !== service)
    .map((suspect) => {
      const before = earlier.suspects.find((one) => one.service === suspect.service)?.score ?? 0;
      return {
        service: suspect.service,
        gain: suspect.score - before,
        risen: risenReasons(earlier, later, suspect.service),
      };
    })
    .filter(({ gain, risen }) => gain >= TELLING_SCORE && risen.length > 0)
    .toSorted((a, b) => b.gain - a.gain)[0];
}

/** The sentence with its reasons, and what it cites: their evidence, else that of the later conclusion. */
function told(what: string, reasons: readonly SuspectReason[], later: Look): Pick<Change, 'statement' | 'evidence'> {
  const why = reasons.length > 0 ? `, since: ${reasons.map(({ statement }) => statement).join('; ')}` : '';
  const ids = new Set(reasons.flatMap(({ evidenceIds }) => evidenceIds));
  return {
    statement: clip(`${what}${why}`, 600),
    evidence: [...(ids.size > 0 ? ids : later.evidence)].slice(0, MOST_CITED),
  };
}

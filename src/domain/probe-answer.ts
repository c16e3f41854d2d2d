import type { EvidenceDraft } from './evidence.ts';
import type { Probe, ProbeSeverity } from './probe.ts';
import type { CheckReport } from './report.ts';
import type { RootCauseType } from './root-cause-type.ts';

/** One thing that a probe found. Plain JSON; texts may hold what others wrote. */
export interface ProbeFinding {
  readonly probe: string;
  readonly severity: ProbeSeverity;
  /** What it is, where the probe or the state of an object says so. */
  readonly type: RootCauseType | undefined;
  readonly service: string | undefined;
  /** What it is about, the same at every tick: a workload and not its pod, a claim, a host. */
  readonly object: string;
  /** The measured value and the limit that it passed, with units. */
  readonly value: string;
  readonly limit: string;
  /** Since when it is so, as far as the window or the object tells. */
  readonly sinceMs: number | undefined;
  /** One clause: the message of the probe, or what was seen. The evidence says both. */
  readonly said: string;
  readonly remedy: string | undefined;
  /** How far beyond the limit, 1 at the limit: orders findings of one severity. */
  readonly weight: number;
  readonly evidence: EvidenceDraft;
}

/** What became of one probe. */
export interface ProbeAnswer {
  readonly name: string;
  readonly kind: Probe['kind'];
  readonly severity: ProbeSeverity;
  /** `unanswered`: it could not be asked, or nothing came that it could judge. That is never "all is well". */
  readonly status: 'clear' | 'found' | 'unanswered';
  /** Series, objects, hosts or events that it judged. */
  readonly lookedAt: number;
  /** Of a clear one: the value nearest to its limit, in words. */
  readonly nearest?: string;
  /** Why it is unanswered, or what of it was cut. */
  readonly note?: string;
  /** Whoever should have answered, all or a part of it, failed, where nothing measured or nobody to ask is no failure. */
  readonly hasFailed?: true;
  readonly findings: readonly ProbeFinding[];
}

/** Answers to all probes of a check, in the order of its file. */
export type ProbeAnswers = readonly ProbeAnswer[];

const GRAVITY: Readonly<Record<ProbeSeverity, number>> = { critical: 2, warning: 1, info: 0 };

/** Everything found, gravest first: by severity, then by how far beyond the limit. What a warning and an alarm say of one object is said once, by the graver. */
export function findingsOf(answers: ProbeAnswers): readonly ProbeFinding[] {
  const known = new Set<string>();
  return answers
    .flatMap(({ kind, findings }) => findings.map((finding) => ({ finding, measured: measuredBy(kind, finding) })))
    .toSorted(({ finding: a }, { finding: b }) => GRAVITY[b.severity] - GRAVITY[a.severity] || b.weight - a.weight)
    .filter(({ measured }) => measured === undefined || (!known.has(measured) && known.add(measured)))
    .map(({ finding }) => finding);
}

/** The same of two findings for which one was asked twice, with two limits. Two states of an object are two things; so are two reductions of one metric, by their values. */
function measuredBy(kind: Probe['kind'], { object, value, evidence: { query } }: ProbeFinding): string | undefined {
  if (query === undefined || kind === 'objects' || kind === 'events') return undefined;
  return JSON.stringify([kind, query, object, kind === 'metric' || kind === 'baseline' ? value : '']);
}

/** Whether there are probes and none of them found anything. */
export function isClear(answers: ProbeAnswers): boolean {
  return answers.length > 0 && answers.every(({ status }) => status !== 'found');
}

/** How far one probe could look, as an answer and as a report says it. */
interface Look extends Pick<ProbeAnswer, 'status' | 'lookedAt' | 'hasFailed'> {
  readonly kind: string;
}

/**
 * Whether too little was looked at to call it well: most of those that should have answered failed, or there was nothing of what the probes look for. What
 * nobody measures here is no failure. Events are asked for as long as there are none.
 */
export function sawTooLittle(looks: readonly Look[]): boolean {
  const answered = looks.filter(({ status }) => status !== 'unanswered');
  return mostFailed(looks) || !answered.some(({ kind, lookedAt }) => lookedAt > 0 || kind === 'events');
}

/** Whether more probes had no answer because whoever should give it failed than had one. */
export function mostFailed(looks: readonly Look[]): boolean {
  const unanswered = looks.filter(({ status }) => status === 'unanswered');
  return unanswered.filter(({ hasFailed }) => hasFailed).length > looks.length - unanswered.length;
}

export function looksOf({ probes }: CheckReport): readonly Look[] {
  return probes.map(({ kind, status, looked_at: lookedAt, failed }) => ({
    kind,
    status,
    lookedAt,
    ...(failed ? { hasFailed: true as const } : {}),
  }));
}

/** Whether there are probes and none of them could be answered. */
export function isBlind(answers: ProbeAnswers): boolean {
  return answers.length > 0 && answers.every(({ status }) => status === 'unanswered');
}

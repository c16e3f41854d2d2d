import type { CheckOutcome, CheckStatus, PostRule } from '../domain/check.ts';
import { looksOf, sawTooLittle } from '../domain/probe-answer.ts';
import type { Report } from '../domain/report.ts';

/**
 * What a report of a check says, as a run is compared with the one before: whether it could look, and what it found, each finding by probe, severity and
 * object. Values that wobble are no part of it.
 */
export interface CheckSigns {
  readonly status: CheckStatus;
  /** Sorted, each once. */
  readonly found: readonly string[];
  /** Of these what was found before and could not be looked at again: nobody knows that it is over. */
  readonly open: readonly string[];
  /** Probes whose provider failed. Once may be chance; what fails again is found, so that nobody believes it looked at. */
  readonly failing: readonly string[];
}

const BLIND = 'blind';
/** Before the name of a probe that failed again, and, in what is kept, of one that failed. Names of probes begin otherwise. */
const UNSEEN = '!';
const FAILED = '?';

/** The signs of a report. `before`: those of the last run, from which findings of probes that have no answer now are taken over. */
export function signsOf(report: Report, before: CheckSigns | undefined): CheckSigns {
  const own = (report.check?.findings ?? []).map(({ probe, severity, object }) => `${probe} ${severity} ${object}`);
  const open = openOf(report.check?.probes ?? [], before).filter((sign) => !own.includes(sign));
  const failing = (report.check?.probes ?? []).filter(({ failed }) => failed).map(({ name }) => name);
  const unseen = failing.filter((name) => before?.failing.includes(name)).map((name) => `${UNSEEN}${name}`);
  const seen = [...new Set([...own, ...open])];
  const isWell = report.status === 'healthy';
  const { root_cause_service: service, root_cause_type: type } = report;
  // Without probes the verdict is all there is; with too few answers it is only what names somebody.
  const isBlind = report.check ? sawTooLittle(looksOf(report.check)) && !service : report.evidence.length === 0;
  if (seen.length === 0 && isBlind && !isWell) {
    // What half of the probes still see may be blind by chance, as a single one may; what nobody sees is told at once.
    const isHalf = report.check?.probes.some(({ status }) => status !== 'unanswered');
    const isChance = isHalf && failing.length > 0 && unseen.length === 0 && (before?.found ?? []).length === 0;
    return { status: 'failed', found: isChance ? [] : [BLIND], open, failing };
  }
  const verdict = seen.length > 0 || isWell ? [] : [`verdict ${type} ${service ?? ''}`.trim()];
  const found = [...seen, ...verdict, ...unseen].toSorted();
  const status = found.length === 0 ? 'healthy' : found.length === unseen.length ? 'failed' : 'found';
  return { status, found, open, failing };
}

interface ProbeRow {
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly note?: string | null | undefined;
}

/** What was found before by probes that have no answer, or only a part of one, now. */
export function openOf(probes: readonly ProbeRow[], before: CheckSigns | undefined): readonly string[] {
  return (before?.found ?? []).filter((sign) => probes.some((probe) => mayHidePart(probe, sign)));
}

/** Of certificates the note names the hosts that did not answer, the first of many: all others were looked at. */
function mayHidePart({ name, kind, status, note }: ProbeRow, sign: string): boolean {
  if (!sign.startsWith(`${name} `) || (status !== 'unanswered' && !note)) return false;
  const [, , host = ''] = sign.split(' ');
  return (
    status === 'unanswered' || kind !== 'certificate' || Boolean(note?.includes(host)) || Boolean(note?.endsWith('…'))
  );
}

/** What is kept of a run for the next one. */
export function outcomeOf(report: Report, signs: CheckSigns, tickMs: number): CheckOutcome {
  return {
    tickMs,
    endedAtMs: Date.parse(report.generatedAt),
    status: signs.status,
    reportId: report.id,
    confidence: report.confidence,
    summary: report.summary,
    signature: JSON.stringify([...signs.found, ...signs.failing.map((name) => `${FAILED}${name}`)]),
  };
}

/** The signs of a kept run. Those of another version's making are none: the next run is then news. */
export function signsOfOutcome({ status, signature }: Pick<CheckOutcome, 'status' | 'signature'>): CheckSigns {
  const all = readSignature(signature);
  const isFailed = (sign: string) => sign.startsWith(FAILED);
  const failing = all.filter(isFailed).map((sign) => sign.slice(FAILED.length));
  return { status, found: all.filter((sign) => !isFailed(sign)), open: [], failing };
}

function readSignature(text: string): readonly string[] {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? found.filter((sign) => typeof sign === 'string') : [];
  } catch {
    return [];
  }
}

/** True when people would be told something that they do not know. Before the first run they take it that all is well. */
export function isNews(now: CheckSigns, before: CheckSigns | undefined): boolean {
  const known = before?.found ?? [];
  return now.found.length !== known.length || now.found.some((sign) => !known.includes(sign));
}

/** Whether the destinations are told of a run. */
export function isTold(post: PostRule, isDigest: boolean, now: CheckSigns, before: CheckSigns | undefined): boolean {
  if (post === 'always') return true;
  return post === 'digest' ? isDigest : isNews(now, before);
}

/** What is different from the run before, as the beginning of a summary; undefined when nothing is, or there was none. */
export function newsOf(now: Pick<CheckSigns, 'found' | 'open'>, before: CheckSigns | undefined): string | undefined {
  const isFailing = now.found.some((sign) => sign.startsWith(UNSEEN));
  if (!before || (before.found.length === 0 && !isFailing)) return undefined;
  const gone = before.found.filter((sign) => !now.found.includes(sign));
  const fresh = now.found.filter((sign) => !before.found.includes(sign));
  if (gone.length === 0 && fresh.length === 0) return undefined;
  if (now.found.length === 0) return recoveryInWords(gone);
  const parts = [
    ...(fresh.length > 0 ? [`new: ${listed(fresh)}`] : []),
    ...(gone.length > 0 ? [`over: ${listed(gone)}`] : []),
  ];
  return `Changed since the last run, ${parts.join('; ')}.`;
}

/** What was found is no longer; what could not be looked at is again. */
function recoveryInWords(gone: readonly string[]): string {
  const [unseen, seen] = [gone.filter(isUnseen), gone.filter((sign) => !isUnseen(sign))];
  const names = unseen.map((sign) => sign.slice(UNSEEN.length)).slice(0, MOST_NAMED);
  const sight = gone.includes(BLIND) ? 'it can look again' : `can be looked at again: ${names.join(', ')}`;
  const parts = [
    ...(seen.length > 0 ? [`no longer found: ${listed(seen)}`] : []),
    ...(unseen.length > 0 ? [sight] : []),
  ];
  return `Recovered, ${parts.join('; ')}.`;
}

function isUnseen(sign: string): boolean {
  return sign === BLIND || sign.startsWith(UNSEEN);
}

const MOST_NAMED = 3;

/** `shop/data-0 (disk-forecast, critical)` */
export function signInWords(sign: string): string {
  const [probe = '', severity = '', ...object] = sign.split(' ');
  if (sign.startsWith(UNSEEN)) return `that ${sign.slice(UNSEEN.length)} could not be looked at`;
  return sign === BLIND ? 'that too little could be looked at' : `${object.join(' ')} (${probe}, ${severity})`;
}

function listed(signs: readonly string[]): string {
  const named = signs.slice(0, MOST_NAMED).map(signInWords);
  const more = signs.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

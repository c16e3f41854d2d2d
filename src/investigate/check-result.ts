import type { CheckOutcome, CheckStatus, PostRule } from '../domain/check.ts';
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
}

const BLIND = 'blind';

/** The signs of a report. `before`: those of the last run, from which findings of probes that have no answer now are taken over. */
export function signsOf(report: Report, before: CheckSigns | undefined): CheckSigns {
  const own = (report.check?.findings ?? []).map(({ probe, severity, object }) => `${probe} ${severity} ${object}`);
  const open = openOf(report.check?.probes ?? [], before).filter((sign) => !own.includes(sign));
  const found = [...new Set([...own, ...open])].toSorted();
  if (found.length > 0) return { status: 'found', found, open };
  if (report.status === 'healthy') return { status: 'healthy', found, open };
  // Without probes, or without an answer from any, the verdict is all there is.
  const isBlind = report.check?.probes.every(({ status }) => status === 'unanswered') ?? report.evidence.length === 0;
  if (isBlind) return { status: 'failed', found: [BLIND], open };
  const { root_cause_service: service, root_cause_type: type } = report;
  return { status: 'found', found: [`verdict ${type} ${service ?? ''}`.trim()], open };
}

/** What was found before by probes that have no answer, or only a part of one, now. */
export function openOf(
  probes: readonly { readonly name: string; readonly status: string; readonly note?: string | null | undefined }[],
  before: CheckSigns | undefined,
): readonly string[] {
  const unsure = probes
    .filter(({ status, note }) => status === 'unanswered' || Boolean(note))
    .map(({ name }) => `${name} `);
  return (before?.found ?? []).filter((sign) => unsure.some((name) => sign.startsWith(name)));
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
    signature: JSON.stringify(signs.found),
  };
}

/** The signs of a kept run. Those of another version's making are none: the next run is then news. */
export function signsOfOutcome({ status, signature }: Pick<CheckOutcome, 'status' | 'signature'>): CheckSigns {
  return { status, found: readSignature(signature), open: [] };
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
  if (!before || before.found.length === 0) return undefined;
  const gone = before.found.filter((sign) => !now.found.includes(sign));
  const fresh = now.found.filter((sign) => !before.found.includes(sign));
  if (gone.length === 0 && fresh.length === 0) return undefined;
  if (now.found.length === 0) return `Recovered, no longer found: ${listed(gone)}.`;
  const parts = [
    ...(fresh.length > 0 ? [`new: ${listed(fresh)}`] : []),
    ...(gone.length > 0 ? [`over: ${listed(gone)}`] : []),
  ];
  return `Changed since the last run, ${parts.join('; ')}.`;
}

const MOST_NAMED = 3;

/** `shop/data-0 (disk-forecast, critical)` */
export function signInWords(sign: string): string {
  const [probe = '', severity = '', ...object] = sign.split(' ');
  return sign === BLIND ? 'that nothing could be looked at' : `${object.join(' ')} (${probe}, ${severity})`;
}

function listed(signs: readonly string[]): string {
  const named = signs.slice(0, MOST_NAMED).map(signInWords);
  const more = signs.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

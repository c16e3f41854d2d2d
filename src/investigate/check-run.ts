import type { CheckOutcome, ModelRule } from '../domain/check.ts';
import { counted } from '../domain/counted.ts';
import { findingsOf, isBlind, isClear, type ProbeAnswers } from '../domain/probe-answer.ts';
import type { Brief } from '../domain/brief.ts';
import type { CheckReport, Report } from '../domain/report.ts';
import { concludeClear } from '../funnel/analyst/check-verdict.ts';
import { briefOfProbes } from '../funnel/brief/add-probes.ts';
import { NO_GUIDANCE } from '../agent/guidance.ts';
import { clip } from '../policy/untrusted.ts';
import { newsOf, openOf, signInWords, signsOf, signsOfOutcome } from './check-result.ts';
import type { Verdict } from './record-investigation.ts';
import type { Known, Run } from './run.ts';

/** As long as a report's may be. */
const LONGEST_SUMMARY = 600;

/** How a scheduled check is worked on, beside what every investigation does. */
export interface CheckPlan {
  /** Of its probes; empty without any. */
  readonly answers: ProbeAnswers;
  /** How long the probes took: they are asked before it is known whether a model has to be paid for. */
  readonly probeMs: number;
  readonly model: ModelRule;
  /** The run before. */
  readonly earlier?: CheckOutcome;
  /** Of a digest: what the runs since the last one came to, one sentence. */
  readonly digest?: string;
}

/** Answers of the check's probes, with their time noted; undefined for what is no check, or has none. */
export function takeAnswers({ parts, stages }: Run): ProbeAnswers | undefined {
  if (!parts.check || parts.check.answers.length === 0) return undefined;
  const { answers, probeMs } = parts.check;
  stages['probe'] = probeMs;
  parts.onProgress?.('probe', progressOf(answers));
  return answers;
}

/** `2 of 9 probes found 6 things, 4 had no answer` */
function progressOf(answers: ProbeAnswers): string {
  const count = (status: ProbeAnswers[number]['status']) => answers.filter((answer) => answer.status === status).length;
  const things = counted(findingsOf(answers).length, 'thing');
  const found = isClear(answers) ? 'found nothing' : `found ${things}`;
  const by = isClear(answers) ? count('clear') : count('found');
  const missing = count('unanswered');
  if (missing === answers.length) return `${counted(missing, 'probe')} had no answer`;
  return `${by} of ${counted(answers.length, 'probe')} ${found}${missing > 0 ? `, ${missing} had no answer` : ''}`;
}

/** True when there is nothing to investigate: the probes found nothing, and the model is not to look all the same. */
export function isSettled({ parts }: Run, answers: ProbeAnswers | undefined): answers is ProbeAnswers {
  if (answers === undefined || !isClear(answers)) return false;
  return isBlind(answers) || parts.check?.model !== 'always' || 'off' in parts.model;
}

/** What is known of a check whose probes found nothing, and the verdict. */
export function settle({ parts }: Run, answers: ProbeAnswers): { readonly known: Known; readonly verdict: Verdict } {
  const brief = briefOfProbes(answers, parts.limits.tokenBudget);
  const known: Known = { brief, seenUntilMs: null, nonce: parts.nonce(), guidance: NO_GUIDANCE, subAgents: [] };
  const conclusion = concludeClear(answers, openBefore(parts.check, answers));
  return { known, verdict: { mode: 'analyst', conclusion, evidence: brief.evidence } };
}

/** True when a check asks no model about what the analyst made of it. */
export function asksNoModel({ parts }: Run, { conclusion }: Verdict): boolean {
  return parts.check?.model === 'never' || (parts.check?.model === 'when-found' && conclusion.status === 'healthy');
}

/** False of a check to which a model would add nothing, or is not to: that there is none is then no gap. */
export function wantsModel({ parts: { check } }: Run, { probed }: Brief, { conclusion }: Verdict): boolean {
  if (!check || check.model === 'always') return true;
  return check.model === 'when-found' && conclusion.status !== 'healthy' && !(probed && isClear(probed.answers));
}

/** The table of a report; undefined for what had no probes. */
export function checkReportOf({ probed }: Brief): CheckReport | undefined {
  if (!probed) return undefined;
  return {
    probes: probed.answers.map(({ name, kind, severity, status, lookedAt, nearest, note, hasFailed }) => ({
      name,
      kind,
      severity,
      status,
      looked_at: lookedAt,
      nearest: nearest ?? null,
      note: note ?? null,
      ...(hasFailed ? { failed: true as const } : {}),
    })),
    findings: findingsOf(probed.answers).map((finding, i) => ({
      probe: finding.probe,
      severity: finding.severity,
      service: finding.service ?? null,
      object: finding.object,
      value: finding.value,
      limit: finding.limit,
      since: isoOf(finding.sinceMs),
      remedy: finding.remedy ?? null,
      evidence: probed.findingIds[i] ?? '',
    })),
  };
}

/** The report as it is told: a digest says first what the runs came to, any other run what is different from the one before. */
export function withNews(report: Report, plan: CheckPlan | undefined): Report {
  if (!plan) return report;
  const before = plan.earlier && signsOfOutcome(plan.earlier);
  const news = plan.digest ?? newsOf(signsOf(report, before), before);
  return news === undefined ? report : { ...report, summary: clip(`${news} ${report.summary}`, LONGEST_SUMMARY) };
}

function openBefore(plan: CheckPlan | undefined, answers: ProbeAnswers): readonly string[] {
  return openOf(answers, plan?.earlier && signsOfOutcome(plan.earlier)).map(signInWords);
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined || !(Math.abs(ms) <= 8.64e15) ? null : new Date(ms).toISOString();
}

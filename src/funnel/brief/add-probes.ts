import type { Brief, Probed } from '../../domain/brief.ts';
import { counted } from '../../domain/counted.ts';
import { EvidenceBook } from '../../domain/evidence.ts';
import { findingsOf, type ProbeAnswer, type ProbeAnswers, type ProbeFinding } from '../../domain/probe-answer.ts';
import type { Gap } from '../../domain/telemetry.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { estimateTokens, fitsBudget } from '../tokens.ts';

const MOST_LINES = 30;
const LONGEST_LINE = 300;
/** Of the budget, findings take no more than this: what explains them has to be read, too. */
const SHARE = 0.25;
/** As long as an id ever is here: its number is not known before the brief is. */
const ANY_ID = 'M9999';

/** What has to be left of a brief's budget for what probes found. */
export function tokensOfProbes(answers: ProbeAnswers, tokenBudget: number): number {
  return estimateTokens(sectionOf(answers, () => ANY_ID, SHARE * tokenBudget));
}

/** A brief that begins with what probes found, each as evidence and as trouble, and states what they could not answer. Within `tokenBudget`, if the brief leaves room. */
export function withProbes(brief: Brief, answers: ProbeAnswers, tokenBudget: number): Brief {
  const findings = findingsOf(answers);
  const book = new EvidenceBook(brief.evidence);
  const findingIds = findings.map((finding) => book.add(keyOf(finding), finding.evidence));
  const section = sectionOf(answers, (i) => findingIds[i] ?? '', SHARE * tokenBudget);
  const whole = [section, brief.text].filter(Boolean).join('\n\n');
  const text = fitsBudget(whole, tokenBudget) ? whole : brief.text;
  const { ranking } = brief;
  const known = new Set(ranking.suspects.map(({ service }) => service));
  const further = [...new Set(findings.flatMap(({ service }) => service ?? []))].filter((name) => !known.has(name));
  const unscored = further.map((service) => ({ service, score: 0, rootCauseType: 'unknown' as const, reasons: [] }));
  return {
    ...brief,
    text,
    tokens: estimateTokens(text),
    evidence: book.all(),
    ranking: { ...ranking, suspects: [...ranking.suspects, ...unscored] },
    trouble: [...findingIds, ...(brief.trouble ?? [])],
    gaps: [...gapsOfProbes(answers), ...brief.gaps],
    probed: { answers, findingIds },
  };
}

/** The brief of a check of which nothing but its probes was read. */
export function briefOfProbes(answers: ProbeAnswers, tokenBudget: number): Brief & { readonly probed: Probed } {
  const nothing: Brief = {
    text: '',
    tokens: 0,
    rawTokens: 0,
    ranking: { suspects: [], confidence: 0, confidenceReasons: [] },
    evidence: [],
    gaps: [],
  };
  const brief = withProbes(nothing, answers, tokenBudget);
  return { ...brief, probed: { answers, findingIds: brief.probed?.findingIds ?? [] } };
}

function keyOf({ probe, object }: ProbeFinding): string {
  return `probe:${probe}/${object}`;
}

/** Why a probe has no answer, or what of it was cut. Those that failed for one reason are told together. */
export function gapsOfProbes(answers: ProbeAnswers): readonly Gap[] {
  const byNote = new Map<string, ProbeAnswer[]>();
  for (const answer of answers) {
    if (answer.note === undefined) continue;
    const key = answer.status === 'unanswered' ? `no answer, ${answer.note}` : answer.note;
    byNote.set(key, [...(byNote.get(key) ?? []), answer]);
  }
  return [...byNote].map(([note, all]) => ({
    source: all.length === 1 ? 'probe' : 'probes',
    message: clip(`${all.map(({ name }) => name).join(', ')}: ${oneLine(note)}`, 400),
  }));
}

function sectionOf(answers: ProbeAnswers, idAt: (i: number) => string, mostTokens: number): string {
  if (answers.length === 0) return '';
  const findings = findingsOf(answers);
  const clear = answers.filter(({ status }) => status === 'clear').map(({ name }) => name);
  const lines = [
    ...findings
      .slice(0, MOST_LINES)
      .map(({ severity, probe, evidence }, i) =>
        clip(`- [${idAt(i)}] ${severity}, probe ${probe}: ${oneLine(evidence.statement)}`, LONGEST_LINE),
      ),
    ...(findings.length > MOST_LINES ? [`- and ${counted(findings.length - MOST_LINES, 'more finding')}`] : []),
    ...(clear.length > 0 ? [clip(`- clear: ${clear.join(', ')}`, LONGEST_LINE)] : []),
  ];
  const title = '## What the probes of this check found (deterministic)';
  const shownOf = (count: number) => {
    const cut = lines.length - count;
    return [title, ...lines.slice(0, count), ...(cut > 0 ? [`(${cut} lines not shown: token budget)`] : [])].join('\n');
  };
  let count = lines.length;
  while (count > 1 && !fitsBudget(shownOf(count), mostTokens)) count -= 1;
  return shownOf(count);
}

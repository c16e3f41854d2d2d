import type { Brief } from '../../domain/brief.ts';
import { counted } from '../../domain/counted.ts';
import {
  findingsOf,
  isBlind,
  mostFailed,
  sawTooLittle,
  type ProbeAnswers,
  type ProbeFinding,
} from '../../domain/probe-answer.ts';
import type { Conclusion } from '../../domain/report.ts';
import { asSentence, spoken } from './spoken.ts';

/** Nobody reads more; all of them stand in the report's table of findings. */
const MOST_CITED = 8;
const MOST_EVIDENCE = 14;
const MOST_TOLD = 3;
const LONGEST_TOLD = 150;
const MOST_ACTIONS = 6;
/** A limit that is passed is a fact; what it is called was said by whoever wrote the probe. */
const SURE = 0.9;
/** Of a lead that rests on a symptom alone. */
const LEAD = 0.3;

/**
 * The verdict on a check whose probes found nothing. `open`: what was found before by probes that have no answer now, in words: then nobody knows whether
 * it is over. Where too little was looked at, nothing is healthy.
 */
export function concludeClear(answers: ProbeAnswers, open: readonly string[]): Conclusion {
  const missing = missingOf(answers);
  const isHealthy = !sawTooLittle(answers) && open.length === 0;
  const share = answers.length === 0 ? 0 : (answers.length - missing.length) / answers.length;
  return {
    status: isHealthy ? 'healthy' : 'inconclusive',
    summary: spoken(clearInWords(answers, open), 600),
    root_cause_service: null,
    root_cause_type: isHealthy ? 'none' : 'unknown',
    confidence: isHealthy ? Math.round(100 * SURE * share) / 100 : 0,
    confidence_reasons: [
      ...(share > 0 ? ['no probe that was answered found anything'] : []),
      ...(missing.length > 0
        ? [`although: ${missing.length} of ${counted(answers.length, 'probe')} had no answer`]
        : []),
    ],
    evidence: [],
    causal_chain: [],
    alternatives: [],
    action_plan: [],
  };
}

function clearInWords(answers: ProbeAnswers, open: readonly string[]): string {
  const missing = missingOf(answers);
  const asked = counted(answers.length, 'probe');
  const answered = missing.length > 0 ? `${answers.length - missing.length} of ${asked}` : asked;
  const why = [...missing, ...answers].find(({ note }) => note !== undefined)?.note ?? 'no reason given';
  if (open.length > 0) {
    const lacking = missing.length > 0 ? 'no answer' : 'a part of the answer only';
    return `Not known to be over, since its probe had ${lacking} (${why}): ${open.join(', ')}.`;
  }
  if (isBlind(answers)) return `Nothing could be looked at: no answer to ${asked} (${why}).`;
  if (mostFailed(answers)) return `Too little could be looked at: no answer to ${missing.length} of ${asked} (${why}).`;
  if (sawTooLittle(answers))
    return `Nothing was looked at: there is nothing of what ${answered} look for.${partlyInWords(answers)}`;
  const looked = answers.reduce((sum, { lookedAt }) => sum + lookedAt, 0);
  return `All clear: nothing found by ${answered} in ${looked} series and objects.${partlyInWords(answers)}`;
}

/** ` No answer from a. Only in part: b, c (a host is away).`; empty where all of it was looked at. Of many the gaps tell the names, with the reason. */
function partlyInWords(answers: ProbeAnswers): string {
  const missing = missingOf(answers);
  const partly = answers.filter(({ status, note }) => status === 'clear' && note);
  const parts = [...new Set(partly.map(({ note }) => note))].map(
    (note) => `${namesOf(partly.filter((answer) => answer.note === note))} (${note})`,
  );
  const from = missing.length > MOST_TOLD ? `the other ${missing.length}` : namesOf(missing);
  return [
    ...(missing.length > 0 ? [` No answer from ${from}.`] : []),
    ...(parts.length > 0 ? [` Only in part: ${parts.join(', ')}.`] : []),
  ].join('');
}

function missingOf(answers: ProbeAnswers): ProbeAnswers {
  return answers.filter(({ status }) => status === 'unanswered');
}

function namesOf(answers: ProbeAnswers): string {
  return answers.map(({ name }) => name).join(', ');
}

/**
 * The verdict on a check whose probes found something: the cause as the ranking says, then their findings; without a cause the findings first. Where the
 * ranking is not sure, or about others than what was found, the gravest finding is its own cause if it says what it is: a certificate that expires needs
 * no ranking.
 */
export function concludeFound(ranked: Conclusion, brief: Brief): Conclusion {
  const findings = findingsOf(brief.probed?.answers ?? []);
  const ids = brief.probed?.findingIds ?? [];
  const [worst] = findings;
  if (!worst) return ranked;
  const cause = explains(ranked, findings) ? ranked : causeItself(ranked, worst, ids[0] ?? '');
  const found = ids.slice(0, MOST_CITED);
  const remedies = remediesOf(findings);
  // Known, it comes first in everything: what mends the cause mends what was found.
  const isKnown = cause.status === 'determined';
  const cited = isKnown ? [...cause.evidence, ...found] : [...found, ...cause.evidence];
  const steps = isKnown ? [...cause.action_plan, ...remedies] : [...remedies, ...cause.action_plan];
  return {
    ...cause,
    summary: spoken(summaryOf(cause, findings, worst), 600),
    evidence: [...new Set(cited)].slice(0, MOST_EVIDENCE),
    action_plan: steps.slice(0, MOST_ACTIONS),
  };
}

/** Symptoms may have their cause anywhere; what is its own cause only in what it is, or where it is. */
function explains(
  { status, root_cause_service: service, root_cause_type: type }: Conclusion,
  findings: readonly ProbeFinding[],
): boolean {
  if (status !== 'determined') return false;
  const [worst] = findings;
  return worst?.type === undefined || worst.type === type || findings.some((finding) => finding.service === service);
}

function causeItself(ranked: Conclusion, worst: ProbeFinding, id: string): Conclusion {
  const service = worst.service === undefined ? null : spoken(worst.service, 200);
  const statement = spoken(worst.evidence.statement, 600);
  if (worst.type === undefined) {
    if (ranked.root_cause_service !== null) return { ...ranked, status: 'inconclusive' };
    return {
      ...ranked,
      status: 'inconclusive',
      root_cause_service: service,
      root_cause_type: 'unknown',
      confidence: LEAD,
    };
  }
  return {
    status: 'determined',
    summary: statement,
    root_cause_service: service,
    root_cause_type: worst.type,
    confidence: SURE,
    confidence_reasons: [spoken(`measured by probe ${worst.probe}: ${worst.value}, ${worst.limit}`, 400)],
    evidence: [id],
    causal_chain: service === null ? [] : [{ service, statement, evidence: [id] }],
    alternatives: [],
    action_plan: [],
  };
}

/** `3 findings, 1 of them critical: …; …; and 1 more.` */
function inWords(findings: readonly ProbeFinding[]): string {
  const critical = findings.filter(({ severity }) => severity === 'critical').length;
  const grave = critical === 0 ? '' : critical === findings.length ? ', critical' : `, ${critical} of them critical`;
  const told = findings.slice(0, MOST_TOLD).map(({ said }) => spoken(said, LONGEST_TOLD));
  const more = findings.length > MOST_TOLD ? [`and ${findings.length - MOST_TOLD} more`] : [];
  return asSentence(`${counted(findings.length, 'finding')}${grave}: ${[...told, ...more].join('; ')}`);
}

/** The cause comes first, for who is woken by it; where the gravest finding is its own cause, it is told as that. */
function summaryOf(
  { status, summary, root_cause_service: service }: Conclusion,
  findings: readonly ProbeFinding[],
  worst: ProbeFinding,
): string {
  const found = inWords(findings);
  if (summary === spoken(worst.evidence.statement, 600)) return found;
  if (status === 'determined') return `${summary} ${found}`;
  return service === null || service === worst.service
    ? `${found} Why is not determined.`
    : `${found} Why is not determined; the strongest lead is ${service}.`;
}

/** What the probes propose, each once; what of it changes anything is judged by code (`investigate/checks/actions.ts`). */
function remediesOf(findings: readonly ProbeFinding[]): Conclusion['action_plan'] {
  const known = new Set<string>();
  return findings
    .filter(({ remedy }) => remedy !== undefined && !known.has(remedy) && known.add(remedy))
    .map(({ remedy = '', said }) => ({
      step: spoken(remedy, 500),
      why: spoken(said, 300),
      risk: 'R0',
      needs_approval: false,
    }));
}

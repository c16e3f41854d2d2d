import type { Evidence } from '../domain/evidence.ts';
import type { Conclusion } from '../domain/report.ts';
import type { Problem, Verification } from '../domain/verification.ts';
import { isReadOnlyCommand } from '../policy/read-only-command.ts';
import { clip } from '../policy/untrusted.ts';
import { claimedNumbers, figuresOf, isSupported } from './claimed-numbers.ts';

/** A conclusion without any valid citation is a guess. */
const UNCITED_CONFIDENCE = 0.2;
/** Nor is much left of one that names a service nobody has seen. */
const UNKNOWN_SERVICE_CONFIDENCE = 0.3;
/** Evidence about others says that something is wrong, not that this service is the cause. */
const OTHERS_EVIDENCE_CONFIDENCE = 0.5;
const CONTRADICTION_FACTOR = 0.7;
const MOST_REASONS = 8;

/** Collects what the checks find. Confidence only ever falls, and every fall has a reason. */
class Findings {
  readonly problems: Problem[] = [];
  readonly removed: string[] = [];
  readonly reasons: string[] = [];
  confidence: number;

  constructor(confidence: number) {
    this.confidence = confidence;
  }

  problem(path: string, rule: string): void {
    this.problems.push({ path, rule });
  }

  lower(to: number, reason: string): void {
    if (to >= this.confidence) return;
    this.confidence = to;
    this.reasons.push(reason);
  }
}

/**
 * Checks a conclusion, the model's or the analyst's, against the evidence of the run:
 * - a cited id must exist; a causal step that rests only on ids that do not is taken out;
 * - the root cause service must be a known one, or null;
 * - some of the cited evidence must be about that service;
 * - a number in a cited step must stand in the evidence it cites;
 * - without any citation left, nothing is determined;
 * - healthy it is not when `notHealthy` says why.
 * A step whose command is not known to be read-only is not R0, and a step above R0 needs approval, whatever the conclusion says. Pure; the input is not changed.
 */
export function verifyConclusion(
  conclusion: Conclusion,
  evidence: readonly Evidence[],
  knownServices: ReadonlySet<string>,
  notHealthy?: string,
): Verification {
  const findings = new Findings(conclusion.confidence);
  const byId = new Map(evidence.map((item) => [item.id, item]));
  const cited = checkCitations(conclusion, byId, findings);
  checkNumbers(conclusion, byId, findings);
  const named = checkServices(cited, knownServices, findings);
  checkSubject(named, byId, findings);
  const settled = checkHealth(settleStatus(conclusion, named, findings), notHealthy, findings);
  return {
    conclusion: {
      ...settled,
      confidence: Math.round(findings.confidence * 1000) / 1000,
      confidence_reasons: withReasons(settled.confidence_reasons, findings.reasons),
      action_plan: settled.action_plan.map(judgeRisk),
    },
    problems: findings.problems,
    removed: findings.removed,
  };
}

type Step = Conclusion['action_plan'][number];

function judgeRisk(step: Step): Step {
  const claimsTooLittle = step.risk === 'R0' && step.command !== undefined && !isReadOnlyCommand(step.command);
  const risk = claimsTooLittle ? 'R2' : step.risk;
  return { ...step, risk, needs_approval: step.needs_approval || risk !== 'R0' };
}

type ById = ReadonlyMap<string, Evidence>;

/** Takes out ids that do not exist, and the steps that rest on nothing else. Confidence falls by their share of all citations. */
function checkCitations(conclusion: Conclusion, byId: ById, findings: Findings): Conclusion {
  const all = [...conclusion.evidence, ...conclusion.causal_chain.flatMap((step) => step.evidence)];
  const missing = all.filter((id) => !byId.has(id));
  const existing = (ids: readonly string[], path: string) =>
    [...new Set(ids)].filter((id) => {
      if (!byId.has(id))
        findings.problem(`${path}[${ids.indexOf(id)}]`, 'cites evidence that does not exist in this run');
      return byId.has(id);
    });

  const evidence = existing(conclusion.evidence, 'evidence');
  const steps = conclusion.causal_chain.flatMap((step, place): PlacedStep[] => {
    const ids = existing(step.evidence, `causal_chain[${place}].evidence`);
    if (step.evidence.length > 0 && ids.length === 0) {
      findings.removed.push(
        `Step about ${step.service}: it cited only evidence that does not exist (${step.evidence.join(', ')}).`,
      );
      return [];
    }
    return [{ step: { ...step, evidence: ids }, place }];
  });
  if (missing.length > 0) {
    const names = [...new Set(missing)].join(', ');
    const share = (all.length - missing.length) / all.length;
    findings.lower(
      conclusion.confidence * share,
      `Lowered: ${missing.length} of ${all.length} citations do not exist (${names}).`,
    );
    findings.removed.push(`Citations of evidence that does not exist: ${names}.`);
  }
  return { ...conclusion, evidence, causal_chain: markUncited(steps, findings) };
}

/** A step with its place in the conclusion as it was written: problems are told by that, whatever was taken out before it. */
interface PlacedStep {
  readonly step: Conclusion['causal_chain'][number];
  readonly place: number;
}

/** An uncited step may be sound reasoning, but it must not pass for an observation. */
function markUncited(steps: readonly PlacedStep[], findings: Findings): Conclusion['causal_chain'] {
  const mark = ' (not validated: no evidence cited)';
  const uncited = steps.filter(({ step }) => step.evidence.length === 0).length;
  if (uncited === 0) return steps.map(({ step }) => step);
  const supported = (steps.length - uncited) / steps.length;
  findings.lower(
    findings.confidence * (0.5 + supported / 2),
    `Lowered: ${uncited} of ${steps.length} steps of the causal chain cite no evidence.`,
  );
  return steps.map(({ step, place }) => {
    if (step.evidence.length > 0) return step;
    findings.problem(`causal_chain[${place}].evidence`, 'cite at least one id');
    return step.statement.endsWith(mark)
      ? step
      : { ...step, statement: `${clip(step.statement, 600 - mark.length)}${mark}` };
  });
}

/** A number contradicts only when the cited evidence has numbers and none of them explains it. */
function checkNumbers(conclusion: Conclusion, byId: ById, findings: Findings): void {
  const contradicted = conclusion.causal_chain.flatMap((step, i) => {
    const cited = [...new Set(step.evidence)].flatMap((id) => byId.get(id) ?? []);
    if (!cited.some((item) => figuresOf(item).length > 0)) return [];
    const wrong = claimedNumbers(step.statement).filter((number) => !isSupported(number, cited));
    if (wrong.length > 0)
      findings.problem(`causal_chain[${i}].statement`, 'states a number that none of its evidence shows');
    return wrong.length > 0 ? [`${wrong.join(', ')} (${cited.map(({ id }) => id).join(', ')})`] : [];
  });
  for (const numbers of contradicted) {
    findings.lower(
      findings.confidence * CONTRADICTION_FACTOR,
      `Lowered: the evidence cited for ${numbers.slice(0, 150)} shows other figures.`,
    );
  }
}

/** Root cause and alternatives must be services of this incident; only the spelling is forgiven. */
function checkServices(conclusion: Conclusion, known: ReadonlySet<string>, findings: Findings): Conclusion {
  const byLowerCase = new Map([...known].map((name) => [name.toLowerCase(), name]));
  const find = (name: string) => (known.has(name) ? name : byLowerCase.get(name.trim().toLowerCase()));
  const alternatives = conclusion.alternatives.flatMap((alternative, i) => {
    const service = find(alternative.service);
    if (service !== undefined) return [{ ...alternative, service }];
    findings.problem(`alternatives[${i}].service`, 'is not a service of this incident');
    findings.removed.push(`Alternative "${alternative.service}": not a known service.`);
    return [];
  });
  const root = conclusion.root_cause_service;
  if (root === null) return { ...conclusion, alternatives };
  const service = find(root);
  if (service !== undefined) return { ...conclusion, alternatives, root_cause_service: service };
  findings.problem('root_cause_service', 'is not a service of this incident; use a name from the brief, or null');
  findings.removed.push(`Root cause service "${root}": not a known service.`);
  findings.lower(
    Math.min(findings.confidence, UNKNOWN_SERVICE_CONFIDENCE),
    'Lowered: the service named as root cause is not known in this incident.',
  );
  return { ...conclusion, alternatives, root_cause_service: null, status: 'inconclusive' };
}

/** What is cited must say something about the service it accuses. */
function checkSubject(conclusion: Conclusion, byId: ById, findings: Findings): void {
  const service = conclusion.root_cause_service;
  const ids = [...conclusion.evidence, ...conclusion.causal_chain.flatMap((step) => step.evidence)];
  const cited = ids.flatMap((id) => byId.get(id) ?? []);
  if (service === null || cited.length === 0) return;
  if (cited.some((item) => item.service === service || item.statement.includes(service))) return;
  findings.problem('evidence', 'cite evidence about the root cause service itself');
  findings.lower(
    Math.min(findings.confidence, OTHERS_EVIDENCE_CONFIDENCE),
    `Lowered: none of the cited evidence is about ${service}.`,
  );
}

/** "Healthy" may rest on nothing found; a determined cause may not, and neither may one whose citations were all wrong. */
function settleStatus(before: Conclusion, after: Conclusion, findings: Findings): Conclusion {
  const count = (conclusion: Conclusion) =>
    conclusion.evidence.length + conclusion.causal_chain.reduce((total, step) => total + step.evidence.length, 0);
  if (count(after) > 0) return after;
  if (before.status === 'healthy' && count(before) === 0) return after;
  if (before.status === 'determined') findings.problem('evidence', 'cite the evidence that the conclusion rests on');
  findings.lower(
    Math.min(findings.confidence, UNCITED_CONFIDENCE),
    'Lowered: no valid evidence is cited, so nothing is determined.',
  );
  return { ...after, status: 'inconclusive' };
}

function checkHealth(conclusion: Conclusion, notHealthy: string | undefined, findings: Findings): Conclusion {
  if (conclusion.status !== 'healthy' || notHealthy === undefined) return conclusion;
  findings.problem('status', `may not be healthy: ${notHealthy}`);
  findings.lower(Math.min(findings.confidence, UNCITED_CONFIDENCE), `Lowered: not healthy, for ${notHealthy}.`);
  return { ...conclusion, status: 'inconclusive', root_cause_type: 'unknown' };
}

/** Room for the checks' reasons is made at the end of the conclusion's own. */
function withReasons(own: readonly string[], added: readonly string[]): string[] {
  const kept = added.slice(0, MOST_REASONS);
  return [...own.slice(0, MOST_REASONS - kept.length), ...kept];
}

import type { Conclusion } from '../../domain/report.ts';
import { NO_SERVICE_NAMES } from '../../domain/hypothesis.ts';
import { isAbout } from '../../policy/claims/subjects.ts';
import type { ById } from './citations.ts';
import type { Findings } from './findings.ts';

/** Not much is left of a conclusion that names a service nobody has seen. */
const UNKNOWN_SERVICE_CONFIDENCE = 0.3;
/** Evidence about others says that something is wrong, not that this service is the cause. */
const OTHERS_EVIDENCE_CONFIDENCE = 0.5;

/** Root cause and alternatives must be services of this incident; only the spelling is forgiven. An alternative may be no service at all. */
export function checkServices(conclusion: Conclusion, known: ReadonlySet<string>, findings: Findings): Conclusion {
  const byLowerCase = new Map([...known, ...NO_SERVICE_NAMES].map((name) => [name.toLowerCase(), name]));
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
  // Load from outside and the like are no service: for the root cause, that is null.
  if (service !== undefined && !known.has(service)) return { ...conclusion, alternatives, root_cause_service: null };
  if (service !== undefined) return { ...conclusion, alternatives, root_cause_service: service };
  findings.problem('root_cause_service', 'is not a service of this incident; use a name from the brief, or null');
  findings.removed.push(`Root cause service "${root}": not a known service.`);
  findings.lower(
    Math.min(findings.confidence, UNKNOWN_SERVICE_CONFIDENCE),
    'Lowered: the service named as root cause is not known in this incident.',
  );
  return { ...conclusion, alternatives, root_cause_service: null, status: 'inconclusive' };
}

/** What is cited must say something about the service it accuses; without that nothing is determined. */
export function checkSubject(conclusion: Conclusion, byId: ById, findings: Findings): Conclusion {
  const service = conclusion.root_cause_service;
  const ids = [...conclusion.evidence, ...conclusion.causal_chain.flatMap((step) => step.evidence)];
  const cited = ids.flatMap((id) => byId.get(id) ?? []);
  if (service === null || cited.length === 0) return conclusion;
  if (cited.some((item) => isAbout(item, service))) return conclusion;
  findings.problem('evidence', 'cite evidence about the root cause service itself');
  findings.lower(
    Math.min(findings.confidence, OTHERS_EVIDENCE_CONFIDENCE),
    `Lowered: none of the cited evidence is about ${service}.`,
  );
  return { ...conclusion, status: 'inconclusive' };
}

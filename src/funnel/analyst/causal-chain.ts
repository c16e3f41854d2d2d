import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Incident } from '../../domain/incident.ts';
import type { Conclusion } from '../../domain/report.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';

type Step = Conclusion['causal_chain'][number];

const MAX_STEPS = 8;
const MAX_CITATIONS = 5;

/**
 * From the cause along its callers to the symptom. Services on the way that show nothing of their own are no steps; the next step
 * says that they lie between. The symptom rests on the alert itself.
 */
export function chainOfCauses(cause: Suspect, incident: Incident, brief: Brief): Step[] {
  const suspects = new Map(brief.ranking.suspects.map((suspect) => [suspect.service, suspect]));
  const between = (brief.callPath ?? []).slice(1, -1);
  const steps = [toStep(cause.service, ownStatement(cause), ownEvidence(cause))];
  let previous = cause.service;
  let silent: string[] = [];
  for (const service of between) {
    const suspect = suspects.get(service);
    const evidence = suspect ? ownEvidence(suspect) : [];
    if (suspect && evidence.length > 0 && steps.length < MAX_STEPS - 1) {
      steps.push(toStep(service, `${callsText(previous, silent)}: ${ownStatement(suspect)}`, evidence));
      previous = service;
      silent = [];
    } else {
      silent.push(service);
    }
  }
  const symptom = symptomStep(previous, silent, incident, brief);
  return symptom ? [...steps, symptom] : steps;
}

function symptomStep(previous: string, silent: readonly string[], incident: Incident, brief: Brief): Step | undefined {
  const alerting = brief.callPath?.at(-1) ?? incident.service;
  if (alerting === undefined || brief.alertEvidenceId === undefined) return undefined;
  const fired = `the alert fired here: ${incident.title}`;
  const isCause = alerting === previous && silent.length === 0;
  const way = brief.callPath ? callsText(previous, silent) : `no call from here to ${previous} is known`;
  return toStep(alerting, isCause ? fired : `${way}; ${fired}`, [brief.alertEvidenceId]);
}

function callsText(callee: string, silent: readonly string[]): string {
  if (silent.length === 0) return `calls ${callee}`;
  return `calls ${callee} by way of ${silent.toReversed().join(', ')}, which show nothing of their own`;
}

function ownEvidence(suspect: Suspect): readonly string[] {
  return suspect.reasons[0]?.evidenceIds.slice(0, MAX_CITATIONS) ?? [];
}

function ownStatement(suspect: Suspect): string {
  return suspect.reasons[0]?.statement ?? 'no single piece of evidence stands out';
}

function toStep(service: string, statement: string, evidence: readonly string[]): Step {
  return {
    service: clip(oneLine(service), 200),
    statement: clip(oneLine(statement), 600),
    evidence: [...evidence],
  };
}

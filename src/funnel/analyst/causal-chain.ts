import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Evidence, EvidenceKind } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import type { Conclusion } from '../../domain/report.ts';
import { spoken } from './spoken.ts';

type Step = Conclusion['causal_chain'][number];

const MAX_STEPS = 8;
const MAX_CITATIONS = 5;

/** Kinds of which only what deviates becomes evidence. Events and changes of another time are evidence too, but explain nothing here. */
const TELLING_KINDS: ReadonlySet<EvidenceKind> = new Set(['metric', 'log', 'trace', 'state']);

/**
 * From the cause along its callers to the symptom. Every step states facts of the evidence it cites. Services on the way that show nothing
 * of their own are no steps; the next step says that they lie between. The symptom rests on the alert itself.
 */
export function chainOfCauses(cause: Suspect, incident: Incident, brief: Brief): Step[] {
  const between = (brief.callPath ?? []).slice(1, -1);
  const steps = [toStep(cause.service, '', factsAbout(cause.service, brief))];
  let previous = cause.service;
  let silent: string[] = [];
  for (const service of between) {
    const facts = factsAbout(service, brief);
    if (facts.length > 0 && steps.length < MAX_STEPS - 1) {
      steps.push(toStep(service, callsText(previous, silent), facts));
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
  const alert = brief.evidence.find(({ id }) => id === brief.alertEvidenceId);
  if (alerting === undefined || !alert) return undefined;
  if (alerting === previous) return toStep(alerting, '', [alert]);
  const way = brief.callPath ? callsText(previous, silent) : `no call from here to ${previous} is known`;
  return toStep(alerting, way, [alert, ...factsAbout(alerting, brief)]);
}

function callsText(callee: string, silent: readonly string[]): string {
  if (silent.length === 0) return `calls ${callee}`;
  return `calls ${callee} by way of ${silent.toReversed().join(', ')} (nothing seen there)`;
}

/** What the ranker held against the service, else the first thing a layer found about it. */
function factsAbout(service: string, brief: Brief): readonly Evidence[] {
  const suspect = brief.ranking.suspects.find((candidate) => candidate.service === service);
  const ids = new Set(suspect?.reasons[0]?.evidenceIds);
  const cited = brief.evidence.filter(({ id }) => ids.has(id) && id !== brief.alertEvidenceId);
  if (cited.length > 0) return cited.slice(0, MAX_CITATIONS);
  return brief.evidence.filter((item) => item.service === service && TELLING_KINDS.has(item.kind)).slice(0, 1);
}

function toStep(service: string, way: string, facts: readonly Evidence[]): Step {
  const stated = facts.slice(0, 2).map(({ statement }) => spoken(statement, 240));
  const said = [...(way ? [way] : []), ...(stated.length > 0 ? stated : ['no evidence of its own'])];
  return {
    service: spoken(service, 200),
    statement: spoken(said.join('; '), 600),
    evidence: facts.map(({ id }) => id),
  };
}

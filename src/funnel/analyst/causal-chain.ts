import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Evidence, EvidenceKind } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import type { Conclusion } from '../../domain/report.ts';
import { changeInWords } from './change-words.ts';
import { failureWordsOf } from './failure-words.ts';
import { gistOf, isClear, isSymptom } from './gist.ts';
import { spoken } from './spoken.ts';
import { effectOnAlerting, evidenceOf, mechanismOf } from './summarise.ts';

type Step = Conclusion['causal_chain'][number];

const MAX_STEPS = 8;
/** More facts make a step no clearer. */
const MAX_FACTS = 2;

/** Kinds of which only what deviates becomes evidence. Events and changes of another time are evidence too, but explain nothing here. */
const TELLING_KINDS: ReadonlySet<EvidenceKind> = new Set(['metric', 'log', 'trace', 'state']);

/**
 * From what set it off, over what ails the cause, along its callers to the symptom. Every step is one sentence with at most two facts of the
 * evidence it cites. Services on the way that show no symptom are no steps; the next step says that they lie between.
 * The symptom rests on the alert itself.
 */
export function chainOfCauses(cause: Suspect, incident: Incident, brief: Brief): Step[] {
  const steps = beginningOf(cause, incident, brief);
  let previous = cause.service;
  let silent: string[] = [];
  for (const service of (brief.callPath ?? []).slice(1, -1)) {
    const symptoms = factsAbout(service, brief).filter(isSymptom);
    const fact = symptoms.find(isClear) ?? symptoms[0];
    if (fact && steps.length < MAX_STEPS - 1) {
      steps.push(toStep(service, `${callsInWords(previous, silent)}, and ${gistOf(fact)}`, [fact]));
      previous = service;
      silent = [];
    } else {
      silent.push(service);
    }
  }
  const symptom = symptomStep(cause, { previous, silent }, incident, brief);
  return symptom ? [...steps, symptom] : steps;
}

/** The change that set it off, and what ails the cause where that is more than the change itself. */
function beginningOf(cause: Suspect, incident: Incident, brief: Brief): Step[] {
  const triggers = triggerStep(cause, incident, brief);
  const mechanism = mechanismStep(cause, brief);
  const isSaid = triggers.some(({ evidence: [id] }) => mechanism.evidence.every((other) => other === id));
  return isSaid ? triggers : [...triggers, mechanism];
}

function triggerStep({ service, trigger }: Suspect, incident: Incident, brief: Brief): Step[] {
  const [change] = evidenceOf(trigger?.evidenceIds, brief);
  if (!change) return [];
  const when = change.atMs === undefined ? '' : `, ${relativeTime(change.atMs, incident.startsAtMs)}`;
  const statement = spoken(`${changeInWords(change.statement, service)}${when}`, 600);
  return [{ service: spoken(service, 200), statement, evidence: [change.id] }];
}

function mechanismStep(cause: Suspect, brief: Brief): Step {
  const named = mechanismOf(cause, brief);
  const words = failureWordsOf(cause, named, brief);
  const own = words ? [...named.slice(0, MAX_FACTS - 1), words] : named;
  const facts = own.length > 0 ? own : factsAbout(cause.service, brief).slice(0, MAX_FACTS);
  const said = facts.map(gistOf).join('; ') || 'no evidence of its own';
  return toStep(cause.service, said, facts);
}

/** The service that the last step was about, and those on the way from it that showed nothing. */
interface Way {
  readonly previous: string;
  readonly silent: readonly string[];
}

function symptomStep(cause: Suspect, way: Way, incident: Incident, brief: Brief): Step | undefined {
  const alerting = brief.callPath?.at(-1) ?? incident.service;
  const alert = brief.evidence.find(({ id }) => id === brief.alertEvidenceId);
  if (alerting === undefined || !alert) return undefined;
  if (alerting === cause.service) return toStep(alerting, spoken(alert.statement, 300), [alert]);
  const onNode = isNode(cause, brief);
  const calls = joinInWords(way, onNode, brief);
  const fact =
    effectOnAlerting(cause, incident, brief) ??
    (onNode ? evictionOf(alerting, brief) : undefined) ??
    factsAbout(alerting, brief).find(({ kind }) => kind !== 'metric');
  const suffers = fact ? `, and ${gistOf(fact)}` : '';
  return toStep(alerting, `${calls}${suffers}; ${spoken(alert.statement, 160)}`, fact ? [alert, fact] : [alert]);
}

/** Shown by the object itself. */
function isNode(cause: Suspect, brief: Brief): boolean {
  return mechanismOf(cause, brief).some(({ query }) => query === `kubectl describe node ${cause.service}`);
}

/** What a node does to a workload is best told by the pods that it drove away. */
function evictionOf(service: string, brief: Brief): Evidence | undefined {
  return brief.evidence.find((item) => item.service === service && /\bEvicted\b/.test(item.statement));
}

/** How the alerting service and the last step hang together. */
function joinInWords({ previous, silent }: Way, isOnNode: boolean, { callPath }: Brief): string {
  if (callPath) return callsInWords(previous, silent);
  const name = spoken(previous, 100);
  return isOnNode ? `stands on node ${name}` : `no call from here to ${name} is known`;
}

function callsInWords(callee: string, silent: readonly string[]): string {
  const calls = `calls ${spoken(callee, 100)}`;
  if (silent.length === 0) return calls;
  return `${calls} by way of ${silent.toReversed().join(', ')} (nothing seen there)`;
}

/** What the ranker held against the service, then what a layer found about it. */
function factsAbout(service: string, brief: Brief): readonly Evidence[] {
  const suspect = brief.ranking.suspects.find((candidate) => candidate.service === service);
  const cited = evidenceOf(suspect?.reasons[0]?.evidenceIds, brief).filter(({ id }) => id !== brief.alertEvidenceId);
  return [...cited, ...brief.evidence.filter((item) => item.service === service && TELLING_KINDS.has(item.kind))];
}

/** The step names its service; its statement does not again. */
function toStep(service: string, statement: string, facts: readonly Evidence[]): Step {
  const clauses = statement.split('; ').map((clause) => withoutName(clause, service));
  return {
    service: spoken(service, 200),
    statement: spoken(clauses.join('; '), 600),
    evidence: facts.map(({ id }) => id),
  };
}

function withoutName(clause: string, service: string): string {
  for (const name of [`${service} `, `${service}: `]) if (clause.startsWith(name)) return clause.slice(name.length);
  return clause.replace(`, and ${service} logs `, ', and it logs ').replace(`, and ${service} `, ', and its ');
}

import { strongestByService, type Clue, type RankContext } from './clue.ts';
import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { StateFinding } from '../layers.ts';

/** What was seen to happen counts a little less than what still is. */
const EVENT_WEIGHT = 0.85;
/** What each further grave condition of a service adds, so that of two equal ones the service with more to show comes first. */
const AGREEING = 0.015;
const MOST_AGREEING = 3;
const GRAVE = 0.5;
/** Findings so near to the strongest are as good as it, so that the one that names a cause may speak. */
const TELLING_MARGIN = 0.1;
const MAX_FACTS = 3;

/**
 * Conditions of objects and events about them. Measures how likely the condition alone stops the service, by its general
 * Kubernetes meaning (severity of the finding, with consequences already discounted). Current state outweighs events. A change is a
 * kind of its own: it proves nothing by itself, yet agrees with what it broke.
 */
export function stateClues(context: RankContext, errors: readonly Clue[]): Clue[] {
  const byService = new Map<string, StateFinding[]>();
  const changes: StateFinding[] = [];
  for (const finding of context.input.states) {
    if (finding.evidence.kind === 'change') changes.push(finding);
    else {
      const known = byService.get(finding.service);
      if (known) known.push(finding);
      else byService.set(finding.service, [finding]);
    }
  }
  const changed = strongestByService(changes.map(changeClue));
  const isChanged = new Set(changed.filter(({ strength }) => strength >= CHANGED).map(({ service }) => service));
  const objects = [...byService.values()].flatMap((findings) => {
    const clue = objectClue(findings);
    const waits = WAITING.has(clue.rootCauseType) && !isChanged.has(clue.service);
    const dependsOn = findings.flatMap((finding) => finding.dependsOn ?? []);
    return waits ? passOn(clue, { errors, dependsOn }) : [clue];
  });
  return [...objects.toSorted((a, b) => b.strength - a.strength), ...changed];
}

interface Suspicion {
  /** What new error lines say, of all services. */
  readonly errors: readonly Clue[];
  readonly dependsOn: readonly string[];
}

/** From these strengths on a service's own new errors say for whom it waits, and those of whom it calls why. */
const TELLING_BLAME = 0.15;
const TELLING_ERROR = 0.25;
/** What is left of a state that the service's own log explains by another, and what falls to that one. */
const LEFT = 0.4;
const PASSED_ON = 0.75;
/** What is changed within the last minutes is more likely wrong itself than whom it complains about. */
const CHANGED = 0.5;

/**
 * A service that runs without being ready waits for something: for whom its own new errors name, or, where nothing of its log was read, for
 * the one it calls that logs new errors. Its state then speaks against that one, which may look healthy (a database that refuses its
 * clients). Not where the state itself says what is wrong, nor right after a change of the service.
 */
function passOn(waiting: Clue, { errors, dependsOn }: Suspicion): Clue[] {
  const accusing =
    errors.find(
      ({ type, caller, strength }) => type === 'blame' && caller === waiting.service && strength >= TELLING_BLAME,
    ) ?? errorOfCallee(waiting.service, errors, dependsOn);
  if (!accusing) return [waiting];
  const passed: Clue = {
    ...waiting,
    service: accusing.service,
    strength: waiting.strength * PASSED_ON,
    rootCauseType: accusing.rootCauseType,
    statement: () => `${accusing.statement()}; ${waiting.statement()}`,
    facts: () => [...accusing.facts(), ...waiting.facts()],
  };
  return [{ ...waiting, strength: waiting.strength * LEFT }, passed];
}

function errorOfCallee(service: string, errors: readonly Clue[], dependsOn: readonly string[]): Clue | undefined {
  const speaks = errors.some((clue) => clue.service === service && clue.type === 'new-error');
  if (speaks) return undefined;
  return errors
    .filter(({ type, strength }) => type === 'new-error' && strength >= TELLING_ERROR)
    .filter((clue) => dependsOn.includes(clue.service))
    .reduce<Clue | undefined>((most, clue) => (clue.strength > (most?.strength ?? 0) ? clue : most), undefined);
}

/** States in which a process that works, but cannot reach what it needs, is found. */
const WAITING: ReadonlySet<RootCauseType> = new Set(['probe_failure', 'dependency_failure', 'unknown']);

/** As strong as the strongest finding, told by the one that says most among the strong. */
function objectClue(findings: readonly StateFinding[]): Clue {
  const strongest = findings.reduce((most, finding) => Math.max(most, strengthOf(finding)), 0);
  const strong = findings
    .filter((finding) => strengthOf(finding) >= strongest - TELLING_MARGIN)
    .toSorted((a, b) => plainness(a) - plainness(b) || strengthOf(b) - strengthOf(a));
  const [telling] = strong as [StateFinding, ...StateFinding[]];
  const grave = findings.filter((finding) => strengthOf(finding) >= GRAVE).length;
  const agreement = AGREEING * Math.min(MOST_AGREEING, Math.max(0, grave - 1));
  return {
    type: 'object',
    service: telling.service,
    strength: Math.min(1, strongest + agreement),
    statement: () => telling.evidence.statement,
    rootCauseType: telling.rootCauseType,
    facts: () => strong.slice(0, MAX_FACTS).map(({ key, evidence }) => ({ key, evidence })),
  };
}

const BROAD: ReadonlySet<RootCauseType> = new Set([
  'code_error',
  'config_change',
  'probe_failure',
  'scheduling',
  'deployment_change',
]);

/** How little a type says of a cause: a consequence least, an end of the process or a change little, all else names what is wrong. */
function plainness({ rootCauseType }: StateFinding): number {
  if (rootCauseType === 'unknown' || rootCauseType === 'dependency_failure') return 2;
  return BROAD.has(rootCauseType) ? 1 : 0;
}

function strengthOf({ severity, evidence }: StateFinding): number {
  return Math.min(1, severity) * (evidence.kind === 'event' ? EVENT_WEIGHT : 1);
}

function changeClue({ key, evidence, service, severity, rootCauseType }: StateFinding): Clue {
  return {
    type: 'change',
    service,
    strength: severity,
    statement: () => evidence.statement,
    rootCauseType,
    facts: () => [{ key, evidence }],
  };
}

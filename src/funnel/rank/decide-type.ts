import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { ClueType } from './clue.ts';
import type { WeighedClue } from './fusion.ts';
import { natureOf } from './service-nature.ts';

/**
 * How much a clue may say about the type of a cause; the first tier with a voice decides.
 * - `mechanism`: names what ran out, broke or is lost;
 * - `change`: a deliberate act on the service shortly before, which names the type only when nothing more specific does;
 * - `consequence`: what many causes look like;
 * - `hint`: a name, or one unusual metric.
 */
const TIERS = ['mechanism', 'change', 'consequence', 'hint'] as const;
type Tier = (typeof TIERS)[number];

interface Voice {
  readonly clues: readonly ClueType[];
  /** Types for which the row holds; absent: for every type that is known. */
  readonly types?: readonly RootCauseType[];
  readonly tier: Tier;
  /** What the row means where the clue itself does not say. */
  readonly means?: RootCauseType;
  readonly because: string;
}

/** First row that fits a clue decides. A clue without a row, or of unknown type and in no row for those, says nothing about the type. */
export const VOICES: readonly Voice[] = [
  {
    clues: ['object'],
    types: ['probe_failure', 'dependency_failure', 'code_error'],
    tier: 'consequence',
    because: 'not ready, no endpoints and crashing follow from whatever ails the process',
  },
  {
    clues: ['object'],
    tier: 'mechanism',
    because: 'the state of an object is a fact: a missing image is a missing image',
  },
  {
    clues: ['new-error'],
    types: ['dependency_failure'],
    tier: 'consequence',
    because: 'timeouts and refused calls tell of another service',
  },
  {
    clues: ['new-error'],
    types: ['unknown'],
    tier: 'consequence',
    means: 'code_error',
    because: 'its own errors that name neither a resource nor another service are errors of its code',
  },
  {
    clues: ['new-error'],
    tier: 'mechanism',
    because: 'new error lines name in their own words what ran out, was refused or threw',
  },
  {
    clues: ['blame'],
    tier: 'mechanism',
    because: 'its callers say what it lacks',
  },
  { clues: ['limit'], tier: 'mechanism', because: 'a pool, disk or queue at its limit is what callers wait for' },
  { clues: ['cpu', 'memory'], tier: 'mechanism', because: 'a resource of the service itself is used up' },
  {
    clues: ['edge', 'trace'],
    types: ['network_latency'],
    tier: 'mechanism',
    because: 'the caller waits while the callee does not work: the time is lost on the way',
  },
  { clues: ['share'], types: ['traffic_surge'], tier: 'mechanism', because: 'far more requests than usual arrive' },
  {
    clues: ['change'],
    tier: 'change',
    because: 'a change shortly before the onset is the best guess while nothing says how it broke the service',
  },
  {
    clues: ['missing-line'],
    tier: 'consequence',
    because: 'a path of the code stops before its usual line: it returned early or threw',
  },
  {
    clues: ['flow-break'],
    types: ['unknown'],
    tier: 'consequence',
    means: 'code_error',
    because: 'requests come in and are not passed on: code returned early or threw, or what it calls refuses',
  },
  {
    clues: ['share', 'edge', 'trace'],
    types: ['database', 'external_provider'],
    tier: 'hint',
    because: 'time arises in a service whose name says what it is',
  },
  {
    clues: ['generic', 'disturbance'],
    tier: 'hint',
    because: 'one unusual metric tells where to look, not what happened',
  },
];

/** A clue far lighter than the heaviest one is noise beside it and names no type. */
const NAMING_SHARE = 0.25;

export interface DecidedType {
  readonly type: RootCauseType;
  /** The clues that name it, heaviest first; the heaviest clue of all when nothing names a type. */
  readonly naming: readonly WeighedClue[];
}

/**
 * The type of the cause that all evidence about a service speaks for: in the first tier with a voice, the type with the largest sum of its
 * clues, one a kind of evidence. `unknown` is an honest answer: time that arises in a service says where, not why.
 */
export function decideType(service: string, clues: readonly WeighedClue[]): DecidedType {
  const heaviest = clues[0];
  if (!heaviest || heaviest.score <= 0) return { type: 'unknown', naming: [] };
  const audible = clues.filter(({ score }) => score >= NAMING_SHARE * heaviest.score);
  for (const tier of TIERS) {
    const loudest = loudestType(audible.flatMap((weighed) => spokenIn(tier, weighed)));
    if (loudest) return loudest;
  }
  return { type: natureOf(service), naming: [heaviest] };
}

interface Spoken {
  readonly type: RootCauseType;
  readonly weighed: WeighedClue;
}

function spokenIn(tier: Tier, weighed: WeighedClue): Spoken[] {
  const { type: clueType, rootCauseType } = weighed.clue;
  const voice = VOICES.find(
    ({ clues, types }) =>
      clues.includes(clueType) && (types ? types.includes(rootCauseType) : rootCauseType !== 'unknown'),
  );
  return voice?.tier === tier ? [{ type: voice.means ?? rootCauseType, weighed }] : [];
}

function loudestType(spoken: readonly Spoken[]): DecidedType | undefined {
  const byType = new Map<RootCauseType, WeighedClue[]>();
  for (const { type, weighed } of spoken) {
    const known = byType.get(type) ?? [];
    if (known.every(({ clue }) => clue.type !== weighed.clue.type)) known.push(weighed);
    byType.set(type, known);
  }
  const sum = (list: readonly WeighedClue[]) => list.reduce((total, { score }) => total + score, 0);
  const [loudest] = [...byType].sort(([, a], [, b]) => sum(b) - sum(a));
  return loudest && { type: loudest[0], naming: loudest[1] };
}

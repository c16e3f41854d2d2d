import type { RootCauseType } from './root-cause-type.ts';

/**
 * One explanation that competes for being the cause. Formed by code from the ranking and the brief, tested by agents, settled by code.
 * Ids of evidence only: guidance (skills, memory, earlier incidents) never stands here.
 */
export interface Hypothesis {
  /** `H1` is the leader at the start. */
  readonly id: string;
  /** Null: nothing in this system, such as load from outside or a false alarm. */
  readonly service: string | null;
  readonly type: RootCauseType;
  /** One sentence that evidence can support or contradict. */
  readonly statement: string;
  /** What would speak against it, for whoever tests it: one sentence. */
  readonly refutedBy: string;
  /** How likely it is before anything was tested, 0–1: the ranker's calibrated confidence, shared among the others by their scores. */
  readonly prior: number;
  readonly supporting: readonly string[];
  readonly contradicting: readonly string[];
}

/** What became of a hypothesis. `supporting` and `contradicting` then hold what was found, too. */
export interface WeighedHypothesis extends Hypothesis {
  /** Sub-agents whose verdict counts: it cites evidence that is new since the brief and, to support the hypothesis, is about its service. */
  readonly tests: { readonly supports: number; readonly contradicts: number };
  /** A sub-agent that was to refute it brought new evidence about its service, and that does not contradict it. */
  readonly survivedRefutation: boolean;
  /** Ids of the new evidence that its tests looked at, whatever it says. */
  readonly testedBy: readonly string[];
  /** Why it was contradicted, in the words of those who were to test it, whether or not they brought new evidence. */
  readonly objections: readonly string[];
}

/** Where a list of services has to name an explanation that is none. No service can be called so (`(` is in no label of any telemetry). */
export const OUTSIDE = '(load from outside)';
export const NOTHING_WRONG = '(nothing wrong)';
export const NO_SERVICE_NAMES = [OUTSIDE, NOTHING_WRONG] as const;

/** A text in which agents speak of hypotheses by id, for readers who have never seen the list: `H1` becomes `H1 (payments)`. */
export function withNames(text: string, hypotheses: readonly Pick<Hypothesis, 'id' | 'service' | 'type'>[]): string {
  return text.replace(/\bH\d\b(?! \()/g, (id) => {
    const named = hypotheses.find((one) => one.id === id);
    return named ? `${id} (${nameOfHypothesis(named).replace(/^\(|\)$/g, '')})` : id;
  });
}

/** The service of a hypothesis, or the words for having none. */
export function nameOfHypothesis({ service, type }: Pick<Hypothesis, 'service' | 'type'>): string {
  return service ?? (type === 'none' ? NOTHING_WRONG : OUTSIDE);
}

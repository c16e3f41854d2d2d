import type { Message } from './compact-messages.ts';
import type { ConversationState } from './conversation-state.ts';
import { deepFreeze, type DeepReadonly } from './deep-freeze.ts';

/** What a turn is made from, beside the conversation. `Said` is a message as the model's port wants it. */
export interface TurnFacts<Said, Tool> {
  /** What the model is given in this turn. */
  readonly text: string;
  /** What the model is sent: its own shape of the conversation, already within the window. */
  readonly sent: readonly Said[];
  /** Names of the sources that can be asked. */
  readonly sources: readonly string[];
  readonly tools: readonly Tool[];
  /** In blocks. */
  readonly systemPrompt: readonly string[];
  /** Turns the run may take in all. */
  readonly iterationCap: number;
  readonly budgets: Readonly<Record<string, number>>;
  readonly model: string;
  readonly workingFacts: Readonly<Record<string, string>>;
  /** Observations that go before or after the one of the state, when they are not blank: what the caller brings, and what a last command showed. */
  readonly broughtObservation?: string | null;
  readonly commandObservation?: string | null;
  /** What went wrong in the turn before. It lives for this turn only: whoever keeps it forgets it now. */
  readonly recoveryNote?: string | null;
}

/** Everything one turn depends on. Nothing that happens during the turn can change it; writes go to the live state. */
export type TurnSnapshot<Said, Tool> = DeepReadonly<
  Omit<TurnFacts<Said, Tool>, 'broughtObservation' | 'commandObservation' | 'recoveryNote'> & {
    readonly messages: readonly Message[];
    readonly lastObservation: string | null;
    readonly recoveryNote: string | null;
  }
>;

/**
 * Begins a turn: takes the snapshot, then resets the observation, in this order. Throws `RangeError`, and resets nothing, when the system prompt is
 * empty, the cap is below one or there is no tool.
 */
export function beginTurn<Said, Tool>(
  state: ConversationState,
  facts: TurnFacts<Said, Tool>,
): TurnSnapshot<Said, Tool> {
  if (facts.systemPrompt.every(isBlank)) throw new RangeError('a turn needs a system prompt');
  if (!(facts.iterationCap >= 1))
    throw new RangeError(`the iteration cap must be at least 1, not ${facts.iterationCap}`);
  if (facts.tools.length === 0) throw new RangeError('a turn needs at least one tool');
  const { broughtObservation, commandObservation, recoveryNote, ...given } = facts;
  const copies = {
    ...given,
    sent: [...given.sent],
    sources: [...given.sources],
    tools: [...given.tools],
    systemPrompt: [...given.systemPrompt],
    budgets: { ...given.budgets },
    workingFacts: { ...given.workingFacts },
    messages: state.messages,
    lastObservation: firstFilled(broughtObservation, state.lastObservation, commandObservation),
    recoveryNote: firstFilled(recoveryNote),
  };
  const snapshot: TurnSnapshot<Said, Tool> = deepFreeze(copies);
  state.resetObservation();
  return snapshot;
}

function firstFilled(...texts: readonly (string | null | undefined)[]): string | null {
  return texts.find((text) => text !== null && text !== undefined && !isBlank(text)) ?? null;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

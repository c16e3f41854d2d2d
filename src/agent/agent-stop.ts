import type { ModelError } from './model.ts';
import type { SpentBudget } from './ledger.ts';

/** Why a run ended. `done`: the model said all it had to say. */
export const TERMINATION_REASONS = [
  'done',
  'turns',
  'deadline',
  'tokens',
  'cost',
  'tool_calls',
  'refusal',
  'overflow',
  'provider_error',
  'aborted',
  'invalid_report',
] as const;
export type TerminationReason = (typeof TERMINATION_REASONS)[number];

/** Ends a run without a report. `message` is a clause for people that says what failed, without a full stop. */
export class AgentStop extends Error {
  override readonly name = 'AgentStop';
  readonly terminationReason: TerminationReason;
  constructor(terminationReason: TerminationReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.terminationReason = terminationReason;
  }
}

const SPENT: Readonly<Record<SpentBudget, string>> = {
  turns: 'all turns of the model were used before it had written a valid report',
  deadline: 'the time was over before the model had written its report',
  tokens: 'the token budget is too small for the model to write a report',
  cost: 'what the investigation may cost is too little for the model to write a report',
  tool_calls: 'all tool calls were used before the model had written its report',
};

export function outOfBudget(budget: SpentBudget): AgentStop {
  return new AgentStop(budget, SPENT[budget]);
}

/** A cap in money that nobody could keep is no cap. */
export function noPrice(modelId: string): AgentStop {
  return new AgentStop('cost', `a cost limit is set, and the price of the model ${modelId} is not known`);
}

export function tooLarge(): AgentStop {
  return new AgentStop(
    'overflow',
    'the request does not fit the context window of the model, even without older results',
  );
}

export function modelFailed(error: ModelError): AgentStop {
  const reason = error.kind === 'aborted' ? 'aborted' : 'provider_error';
  return new AgentStop(reason, `the model gave no answer: ${error.message}`, { cause: error });
}

/** The signal of the run was aborted: by its deadline, or because the whole process or the caller wants to stop. */
export function cancelled(signal: AbortSignal, timeLeftMs: number, cause?: unknown): AgentStop {
  const byDeadline = timeLeftMs <= 0 || (signal.reason as Error | undefined)?.name === 'TimeoutError';
  return byDeadline ? outOfBudget('deadline') : new AgentStop('aborted', 'the investigation was cancelled', { cause });
}

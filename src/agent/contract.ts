import type { Evidence } from '../domain/evidence.ts';
import type { Problem } from '../domain/verification.ts';
import type { JsonSchema } from './model.ts';

/** What code made of a text that the model handed in as its result. `value` is what is left after what does not hold was taken out. */
export type Judged<T> =
  /** There is no JSON object in the text at all. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'judged';
      readonly value: T | undefined;
      readonly problems: readonly Problem[];
      /** A sentence for each thing that was taken out. */
      readonly removed: readonly string[];
    };

/** The result that an agent owes: a report of the main agent, a finding of a sub-agent. */
export interface OutputContract<T> {
  /** `report`, `finding`: for the words of requests. */
  readonly name: string;
  readonly jsonSchema: JsonSchema;
  /** Pure. `evidence` is everything known to this agent. */
  readonly judge: (text: string, evidence: readonly Evidence[]) => Judged<T>;
}

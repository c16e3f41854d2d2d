import type { Problem } from '../domain/verification.ts';
import type { TerminationReason } from './agent-stop.ts';
import type { ToolUse } from './model.ts';
import type { FinalCause } from './prompts.ts';

/** What the model handed in, after code has looked at it. `value` is undefined when nothing of it can be used. */
export interface HandedIn {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  readonly removed: readonly string[];
}

/**
 * What a run does next. One pass takes one step: at most one call of the model, or one batch of tools. Plain JSON, so that another process can go on
 * from it.
 */
export type Step =
  /** A turn in which the model may call tools. */
  | { readonly kind: 'work' }
  /** The model's last message asks for these; it has no answer yet. */
  | { readonly kind: 'tools'; readonly uses: readonly ToolUse[] }
  /** The result has been asked for. `secondTry`: the first answer was cut off at the output limit. */
  | { readonly kind: 'final'; readonly cause: FinalCause; readonly secondTry: boolean }
  /** What was handed in does not hold, and the model has been told why. `cause`: what had ended the search early. */
  | {
      readonly kind: 'repair';
      readonly cause: FinalCause | undefined;
      readonly first: HandedIn;
      readonly secondTry: boolean;
    }
  | Ended;

/** `mended`: it holds now. `cut`: what does not hold was taken out of it. `failed`: nothing of it could be used. */
export const REPAIRS = ['mended', 'cut', 'failed'] as const;
export type Repair = (typeof REPAIRS)[number];

export type Ended =
  | {
      readonly kind: 'ended';
      readonly terminationReason: TerminationReason;
      readonly value: unknown;
      readonly removed: readonly string[];
      /** When it did not hold at first. */
      readonly repair?: Repair;
    }
  | {
      readonly kind: 'ended';
      readonly terminationReason: TerminationReason;
      readonly failed: string;
      readonly repair?: Repair;
    };

/** What a run remembers from turn to turn, beside transcript and ledger. */
export interface Course {
  /** It was told once that it has to call a tool or hand in. */
  nudged: boolean;
  /** What went wrong in the turn before: told to the model in the next one, and only then. */
  recoveryNote: string | null;
  /** An answer was cut off at the output limit once: since then it may be twice as long. */
  truncated: boolean;
  /** Turns in a row that only repeated earlier calls. */
  repeatTurns: number;
  /** By tool: turns that used it since the last new piece of evidence. */
  barrenTurns: Readonly<Record<string, number>>;
}

export const NEW_COURSE: Readonly<Course> = {
  nudged: false,
  recoveryNote: null,
  truncated: false,
  repeatTurns: 0,
  barrenTurns: {},
};

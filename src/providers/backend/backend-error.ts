import { ProviderError } from '../../domain/provider.ts';

export interface BackendFailure {
  /** A sentence: what failed. */
  readonly problem: string;
  /** A sentence: what to do. */
  readonly remedy: string;
  /** False when the server cannot be used at all (unreachable, refused, another product), so that asking on is in vain. */
  readonly answered: boolean;
  readonly timedOut?: boolean;
}

/** Why a question has no answer. `problem` and `remedy` are the message without the question: many questions fail for one reason. */
export class BackendError extends ProviderError {
  readonly problem: string;
  readonly remedy: string;
  readonly answered: boolean;
  readonly timedOut: boolean;

  /** `asked` is what would have been asked, as a sentence; empty where a reader of a report need not know. */
  constructor(provider: string, failure: BackendFailure, asked: string, options?: ErrorOptions) {
    const question = asked === '' ? '' : ` Asked: ${asked}`;
    super(provider, `${failure.problem} ${failure.remedy}${question}`, options);
    this.problem = failure.problem;
    this.remedy = failure.remedy;
    this.answered = failure.answered;
    this.timedOut = failure.timedOut ?? false;
  }
}

import { Ledger } from '../backend/ledger.ts';

/** The ledger of one gathering, with what is particular to samples. */
export class SampleLedger extends Ledger {
  /** Queries for values. */
  answered = 0;
  /** Samples that were no finite number. */
  dropped = 0;
  /** Series whose labels name no service. */
  unnamed = 0;

  constructor() {
    super('prometheus');
  }

  protected override counted(): readonly string[] {
    return [
      ...(this.dropped > 0 ? [`${this.dropped} samples were not finite numbers (NaN, Inf) and were dropped.`] : []),
      ...(this.unnamed > 0 ? [`${this.unnamed} series name no service and were left out.`] : []),
    ];
  }
}

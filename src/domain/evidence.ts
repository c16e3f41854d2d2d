export const EVIDENCE_KINDS = ['metric', 'log', 'event', 'state', 'change', 'trace', 'tool'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

const PREFIX: Record<EvidenceKind, string> = {
  metric: 'M',
  log: 'L',
  event: 'E',
  state: 'O',
  change: 'C',
  trace: 'T',
  tool: 'X',
};

/** One observed fact, in words, with the way back to its source. `statement` is one line and already redacted when stored. */
export interface Evidence {
  /** `M1`, `L2`, `E3`, `O4`, `C5`, `T6`, `X7` (tool result). */
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly service: string | undefined;
  /** Where the object, event, change or series lies that it tells of. Absent: in no namespace, as a node, or nobody said. */
  readonly namespace?: string;
  readonly statement: string;
  /** A time that `Date` can hold. */
  readonly atMs: number | undefined;
  readonly query?: string;
  readonly link?: string;
  /** Numbers the statement asserts; the verifier compares claims with them. */
  readonly numbers?: readonly number[];
  /** Id of the sub-agent that found it; absent for what its parent, or code, found. */
  readonly foundBy?: string;
}

export type EvidenceDraft = Omit<Evidence, 'id'>;

/** What a run added to the evidence that it began with. `key`: what it would be recognised by when it is found again; plain JSON. */
export interface FoundEvidence {
  readonly evidence: Evidence;
  readonly key?: string;
}

/** The farthest moment from 1970 that has a date (ECMA-262, time values). */
const FARTHEST_MS = 8.64e15;

/** Collects evidence and gives out ids, one counter a kind, in order of adding. The same key twice is the same evidence. */
export class EvidenceBook {
  readonly #byKey = new Map<string, Evidence>();
  readonly #byId = new Map<string, Evidence>();
  readonly #count = new Map<EvidenceKind, number>();
  readonly #given = new Set<string>();

  readonly #firstNumber: number;

  /**
   * Starts with evidence that already has ids (a brief's); numbering continues after the highest of each kind, and not below `firstNumber`: agents that
   * work side by side number from different ten thousands, and what a sub-agent found moves nobody else's numbers.
   */
  constructor(known: readonly Evidence[] = [], firstNumber = 1) {
    this.#firstNumber = firstNumber;
    for (const evidence of known) {
      this.#byId.set(evidence.id, evidence);
      this.#given.add(evidence.id);
      this.#continueAfter(evidence);
    }
  }

  /** Returns the id. The first draft of a key wins. A time without a date, as of a record with a broken clock, is left out. */
  add(key: string, draft: EvidenceDraft): string {
    const known = this.#byKey.get(key);
    if (known) return known.id;
    const n = this.#nextNumber(draft.kind);
    this.#count.set(draft.kind, n);
    const atMs = Math.abs(draft.atMs ?? Number.NaN) <= FARTHEST_MS ? draft.atMs : undefined;
    const evidence: Evidence = { ...draft, atMs, id: `${PREFIX[draft.kind]}${n}` };
    this.#byKey.set(key, evidence);
    this.#byId.set(evidence.id, evidence);
    return evidence.id;
  }

  /** An id never means two things: where the numbers reach those of a sub-agent, its own are passed over. */
  #nextNumber(kind: EvidenceKind): number {
    let n = Math.max((this.#count.get(kind) ?? 0) + 1, this.#firstNumber);
    while (this.#byId.has(`${PREFIX[kind]}${n}`)) n++;
    return n;
  }

  /** Takes in what a sub-agent found, under the id that it has there. An id that is known stays what it is. */
  adopt(evidence: Evidence, foundBy: string): void {
    if (!this.#byId.has(evidence.id)) this.#byId.set(evidence.id, { ...evidence, foundBy });
  }

  /** Everything beyond what the book began with, for another process to go on from. */
  found(): readonly FoundEvidence[] {
    const keyOf = new Map([...this.#byKey].map(([key, { id }]) => [id, key]));
    return this.all()
      .filter(({ id }) => !this.#given.has(id))
      .map((evidence) => {
        const key = keyOf.get(evidence.id);
        return key === undefined ? { evidence } : { evidence, key };
      });
  }

  /** Takes back what `found` gave; numbering continues after it. */
  restore(found: readonly FoundEvidence[]): void {
    for (const { evidence, key } of found) {
      this.#byId.set(evidence.id, evidence);
      if (key !== undefined) this.#byKey.set(key, evidence);
      this.#continueAfter(evidence);
    }
  }

  get(id: string): Evidence | undefined {
    return this.#byId.get(id);
  }

  all(): readonly Evidence[] {
    return [...this.#byId.values()];
  }

  #continueAfter({ id, kind, foundBy }: Evidence): void {
    if (foundBy === undefined) this.#count.set(kind, Math.max(this.#count.get(kind) ?? 0, Number(id.slice(1))));
  }
}

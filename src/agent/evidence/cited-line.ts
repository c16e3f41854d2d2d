import type { EvidenceDraft } from '../../domain/evidence.ts';

/** One line that becomes evidence with an id. The same key twice is the same evidence. */
export interface CitedLine {
  readonly key: string;
  readonly draft: EvidenceDraft;
}

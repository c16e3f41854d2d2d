import { redactDeep } from '../agent/tools/redact-deep.ts';
import { STATE_VERSION, type InvestigationState } from './journal.ts';
import type { Known, Run } from './run.ts';

/** Keeps what is known, redacted, for a process that may have to go on. Never rejects. */
export async function writeDown({ parts, startedAtMs, window, stages }: Run, known: Known): Promise<void> {
  if (!parts.journal) return;
  const state: InvestigationState = { version: STATE_VERSION, startedAtMs, window, stages, ...known };
  // The nonce is random: what looks like a secret in it is none.
  await parts.journal.save({ ...(redactDeep(state, parts.redact) as InvestigationState), nonce: known.nonce });
}

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { FoundEvidence } from '../domain/evidence.ts';
import type { Gap } from '../domain/telemetry.ts';
import type { LedgerState } from './ledger.ts';
import type { JsonSchema, ModelTool } from './model.ts';
import { PackedTexts, packTexts, unpackTexts } from './pack-texts.ts';
import { PROMPT_VERSION } from './prompts.ts';
import type { Course, Step } from './step.ts';
import type { KnownAnswer } from './tools/dispatch.ts';
import type { TranscriptState } from './transcript.ts';

/** Where a run stands between two steps: plain JSON, redacted, versioned by whoever writes it. */
export interface AgentCheckpoint {
  readonly version: number;
  readonly state: unknown;
}

/**
 * Where one agent's checkpoint is kept. `save` is called after every model answer and after every batch of tools; it must not throw for a store
 * that is away (the run goes on; a crash then repeats more).
 */
export interface CheckpointSlot {
  load(): Promise<AgentCheckpoint | undefined>;
  save(checkpoint: AgentCheckpoint): Promise<void>;
}

/** Raise it with every change of `RunState` or of a type in it. */
const CHECKPOINT_VERSION = 3;

/** Everything that a run is made of, beside what its caller hands in again. */
export interface RunState {
  /** Of the prompts, schema and model that the transcript was made with. */
  readonly fingerprint: string;
  readonly step: Step;
  readonly course: Readonly<Course>;
  /** The memory in the system prompt may have changed since; the run keeps what it began with. */
  readonly system: readonly string[];
  /** As the model was shown them at the beginning. The transcript refers to them and the cache begins with them, so they stay, whatever is there now. */
  readonly tools: readonly ModelTool[];
  readonly nonce: string;
  readonly transcript: TranscriptState;
  readonly ledger: LedgerState;
  readonly found: readonly FoundEvidence[];
  readonly gaps: readonly Gap[];
  readonly known: readonly KnownAnswer[];
  readonly modelName: string | null;
}

/** A transcript can only be continued by a run that shows the same model the same first block of the system prompt, and owes the same result. */
export function fingerprintOf(run: {
  readonly modelId: string;
  readonly system: readonly string[];
  readonly jsonSchema: JsonSchema;
}): string {
  const parts = [PROMPT_VERSION, run.modelId, run.system[0], run.jsonSchema];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export function toCheckpoint(state: RunState): AgentCheckpoint {
  return { version: CHECKPOINT_VERSION, state: packTexts(state) };
}

/** What this code wrote is trusted as far as its fingerprint goes; the shape is checked so far that a foreign or a cut object is found out. */
const KnownState = z.looseObject({
  fingerprint: z.string(),
  step: z.looseObject({ kind: z.enum(['work', 'tools', 'final', 'repair', 'ended']) }),
  course: z.looseObject({ barrenTurns: z.record(z.string(), z.number()) }),
  system: z.array(z.string()).min(1),
  tools: z.array(z.looseObject({ name: z.string(), description: z.string(), inputSchema: z.looseObject({}) })),
  nonce: z.string().min(1),
  transcript: z.looseObject({
    pinned: z.looseObject({}),
    turns: z.array(z.looseObject({})),
    given: z.array(z.looseObject({})),
    summary: z.string().nullable(),
    entries: z.array(z.looseObject({})),
  }),
  ledger: z.looseObject({ own: z.looseObject({ turns: z.number() }), timeMs: z.number(), tokens: z.number() }),
  found: z.array(z.looseObject({ evidence: z.looseObject({ id: z.string() }) })),
  gaps: z.array(z.looseObject({})),
  known: z.array(z.looseObject({ key: z.string(), text: z.string() })),
  modelName: z.string().nullable(),
});

/** The state in a checkpoint; undefined when it cannot be continued: another version, other prompts, another model, or no state at all. */
export function fromCheckpoint(checkpoint: AgentCheckpoint, fingerprint: string): RunState | undefined {
  if (checkpoint.version !== CHECKPOINT_VERSION) return undefined;
  const packed = PackedTexts.safeParse(checkpoint.state);
  if (!packed.success) return undefined;
  const state = unpackTexts(packed.data);
  const known = KnownState.safeParse(state);
  if (!known.success || known.data.fingerprint !== fingerprint) return undefined;
  return state as RunState;
}

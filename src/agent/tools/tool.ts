import { z } from 'zod';
import type { Brief } from '../../domain/brief.ts';
import type { Evidence, EvidenceBook } from '../../domain/evidence.ts';
import type { TimeWindow } from '../../domain/provider.ts';
import type {
  Change,
  ClusterEvent,
  Gap,
  KubernetesObject,
  LogRecord,
  MetricSeries,
  Span,
  SpanStats,
} from '../../domain/telemetry.ts';
import type { JsonSchema } from '../model.ts';

/** What is the same for all calls of a run. */
export type RunContext = Omit<ToolContext, 'turn' | 'call'>;

/** What a tool may know of the investigation, and of its call. */
export interface ToolContext {
  readonly triggerMs: number;
  /** The window the brief was made from. */
  readonly window: TimeWindow;
  readonly brief: Brief;
  readonly book: EvidenceBook;
  readonly now: () => number;
  /** Number of the model's turn that this call belongs to, from 1; the same after a resume. */
  readonly turn: number;
  /** Position of this call among those of its turn, from 0. */
  readonly call: number;
}

/**
 * What a tool returns: data, never text. The one path in `present.ts` makes text of it, so no tool can skip redaction, compaction,
 * the size limit or the fence. `searched` says what was asked, of whom and for which time; `notes` what was cut or why nothing came.
 */
export type ToolData = { readonly searched: string; readonly notes: readonly string[] } & (
  | { readonly kind: 'series'; readonly series: readonly MetricSeries[] }
  /** `isPart`: there were more lines than were read, so that counts are lower bounds. */
  | { readonly kind: 'logs'; readonly records: readonly LogRecord[]; readonly isPart?: boolean }
  | { readonly kind: 'events'; readonly events: readonly ClusterEvent[] }
  | { readonly kind: 'objects'; readonly objects: readonly KubernetesObject[] }
  | { readonly kind: 'changes'; readonly changes: readonly Change[] }
  | { readonly kind: 'spans'; readonly spans: readonly Span[]; readonly stats: readonly SpanStats[] }
  | { readonly kind: 'evidence'; readonly items: readonly Evidence[] }
  /**
   * Anything else that is text. `evidence` names the kind under which the text becomes citable, as one item; without it (a skill, memory, what Rootnote
   * did) it can never be cited: guidance is no evidence.
   */
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly evidence?: 'tool' | 'event' | 'state' | 'change' | 'trace';
    }
);

/** Kinds of `ToolData`, for metrics. */
export const TOOL_DATA_KINDS = [
  'series',
  'logs',
  'events',
  'objects',
  'changes',
  'spans',
  'evidence',
  'text',
] as const satisfies readonly ToolData['kind'][];

/** A tool that is read-only. `run` throws `ToolFailure` for what the model should read; anything else is a bug. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Bounded by the time that is left for work, and not by the seconds that a query may take. */
  readonly longRunning?: true;
  run(input: unknown, context: ToolContext, signal: AbortSignal): Promise<ToolData>;
}

/**
 * The call did not work. `message` tells the model what was tried and what to do instead; `gap` goes into the report. A denial: such a call is not
 * permitted, whoever makes it.
 */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly gap: Gap | undefined;
  readonly isDenial: boolean;
  constructor(message: string, options?: ErrorOptions & { readonly gap?: Gap; readonly isDenial?: boolean }) {
    super(message, options);
    this.gap = options?.gap;
    this.isDenial = options?.isDenial ?? false;
  }
}

interface ToolDefinition<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly longRunning?: true;
  run(input: z.output<Input>, context: ToolContext, signal: AbortSignal): Promise<ToolData>;
}

/** Makes a tool of a definition: the model's input is validated against the same schema that the model is shown. */
export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(definition.input, { io: 'input' });
  return {
    name: definition.name,
    description: definition.description,
    inputSchema,
    ...(definition.longRunning ? { longRunning: true } : {}),
    run(input, context, signal) {
      const parsed = definition.input.safeParse(input);
      if (parsed.success) return definition.run(parsed.data, context, signal);
      const rules = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
      return Promise.reject(
        new ToolFailure(
          `The input of ${definition.name} is not valid. ${rules.join('; ')}. Correct it and call again.`,
        ),
      );
    },
  };
}

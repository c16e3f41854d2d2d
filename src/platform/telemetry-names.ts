import type { SpanKind } from '../domain/tracing.ts';

/**
 * Names of spans and attributes, all of them. `gen_ai.*` are those of the OpenTelemetry semantic conventions for generative AI as of August 2026, whose
 * status is Development: when they change, they change here. `rootnote.*` are our own. Nothing here holds content: no message, no argument, no result.
 */
const OPERATION = 'gen_ai.operation.name';

interface SpanNaming {
  /** Fact that completes the name, after the operation. */
  readonly operation: string;
  readonly subject?: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Attribute of each fact. A fact that is not listed is not told. */
  readonly facts: Readonly<Record<string, string>>;
}

const ANTHROPIC = { 'gen_ai.provider.name': 'anthropic' };

/** Tokens of a turn have names of our own: whoever adds up `gen_ai.usage.*` gets them from the `chat` spans, once. */
export const SPAN_NAMES: Readonly<Record<SpanKind, SpanNaming>> = {
  investigation: {
    operation: 'invoke_workflow',
    attributes: { [OPERATION]: 'invoke_workflow', 'gen_ai.workflow.name': 'investigation' },
    facts: {
      incident: 'rootnote.incident.id',
      session: 'gen_ai.conversation.id',
      kind: 'rootnote.incident.kind',
      source: 'rootnote.incident.source',
      status: 'rootnote.report.status',
      mode: 'rootnote.report.mode',
      terminationReason: 'rootnote.termination_reason',
    },
  },
  agent: {
    operation: 'invoke_agent',
    subject: 'agent',
    attributes: { [OPERATION]: 'invoke_agent', ...ANTHROPIC },
    facts: {
      agent: 'gen_ai.agent.name',
      session: 'gen_ai.agent.id',
      conversation: 'gen_ai.conversation.id',
      model: 'gen_ai.request.model',
      terminationReason: 'rootnote.termination_reason',
      turns: 'rootnote.agent.turns',
    },
  },
  turn: {
    operation: 'turn',
    attributes: ANTHROPIC,
    facts: {
      turn: 'rootnote.turn',
      model: 'gen_ai.request.model',
      inputTokens: 'rootnote.turn.input_tokens',
      outputTokens: 'rootnote.turn.output_tokens',
      cacheReadTokens: 'rootnote.turn.cache_read_tokens',
      cacheWriteTokens: 'rootnote.turn.cache_write_tokens',
      stopReason: 'rootnote.turn.stop_reason',
    },
  },
  tool: {
    operation: 'execute_tool',
    subject: 'tool',
    attributes: { [OPERATION]: 'execute_tool', 'gen_ai.tool.type': 'function' },
    facts: {
      tool: 'gen_ai.tool.name',
      callId: 'gen_ai.tool.call.id',
      turn: 'rootnote.turn',
      outcome: 'rootnote.tool.outcome',
    },
  },
  delivery: {
    operation: 'deliver',
    subject: 'destination',
    attributes: {},
    facts: {
      destination: 'rootnote.delivery.destination',
      content: 'rootnote.delivery.content',
      incident: 'rootnote.incident.id',
      outcome: 'rootnote.delivery.outcome',
      attempts: 'rootnote.delivery.attempts',
    },
  },
};

export const ERROR_TYPE = 'error.type';
export const SERVICE_NAME = 'service.name';
export const SERVICE_VERSION = 'service.version';

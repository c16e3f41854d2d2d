import type Anthropic from '@anthropic-ai/sdk';
import type { ModelBlock, ModelMessage, ModelRequest, StopReason, TokenUsage } from '../agent/model.ts';
import { outputSchema } from './output-schema.ts';
import { costUsd } from './prices.ts';

type Params = Anthropic.MessageCreateParamsNonStreaming;
type BlockParam = Anthropic.ContentBlockParam;

/** With the `u` flag a surrogate matches only when its other half is missing. The API refuses such text. */
const LONE_SURROGATE = /[\ud800-\udfff]/gu;

/**
 * The request as the Messages API wants it. At most three cache breakpoints: the first system block (which covers the tools before it and is the same
 * for every incident), the last one when it is another (memory), and, by the top-level `cache_control`, the end of the transcript.
 */
export function toParams(request: ModelRequest, modelId: string): Params {
  const params: Params = {
    model: modelId,
    max_tokens: request.maxOutputTokens,
    system: toSystem(request.system),
    messages: request.messages.map(toMessage).filter((message) => message.content.length > 0),
    cache_control: { type: 'ephemeral' },
  };
  if (request.tools.length > 0) {
    params.tools = request.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: { ...tool.inputSchema, type: 'object' },
    }));
    params.tool_choice = { type: request.toolChoice };
  }
  if (request.jsonSchema) {
    params.output_config = { format: { type: 'json_schema', schema: outputSchema(request.jsonSchema) } };
  }
  return wellFormed(params);
}

function toSystem(blocks: readonly string[]): Anthropic.TextBlockParam[] {
  const filled = blocks.filter((text) => text.trim());
  return filled.map((text, i) => {
    const ends = i === 0 || i === filled.length - 1;
    return { type: 'text', text, ...(ends ? { cache_control: { type: 'ephemeral' } } : {}) };
  });
}

function toMessage(message: ModelMessage): { role: 'user' | 'assistant'; content: BlockParam[] } {
  if (message.role === 'user') return { role: 'user', content: textBlock(message.text) };
  if (message.role === 'assistant') return { role: 'assistant', content: message.blocks.flatMap(toBlock) };
  // Tool results come first in their message; text before them is refused.
  const results = message.answers.map((answer): BlockParam => ({
    type: 'tool_result',
    tool_use_id: answer.toolUseId,
    content: answer.text,
    is_error: answer.isError,
  }));
  return { role: 'user', content: [...results, ...textBlock(message.note ?? '')] };
}

function toBlock(block: ModelBlock): BlockParam[] {
  if (block.kind === 'text') return textBlock(block.text);
  if (block.kind === 'opaque') return [block.data as BlockParam];
  return [{ type: 'tool_use', id: block.id, name: block.name, input: block.input }];
}

/** Empty and blank text blocks are refused. */
function textBlock(text: string): BlockParam[] {
  return text.trim() ? [{ type: 'text', text }] : [];
}

function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.replace(LONE_SURROGATE, '\ufffd') as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormed(item)])) as T;
}

export function toBlocks(content: readonly Anthropic.ContentBlock[]): ModelBlock[] {
  return content.map((block): ModelBlock => {
    if (block.type === 'text') return { kind: 'text', text: block.text };
    if (block.type === 'tool_use') return { kind: 'tool_use', id: block.id, name: block.name, input: block.input };
    return { kind: 'opaque', data: block };
  });
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  refusal: 'refusal',
  model_context_window_exceeded: 'overflow',
};

export function toStopReason(stopReason: string | null): StopReason {
  return STOP_REASONS[stopReason ?? ''] ?? 'other';
}

/** Gateways leave out what they do not count: what is missing is 0. */
export function toUsage(usage: Partial<Anthropic.Usage> | null | undefined, modelId: string): TokenUsage {
  const tokens = {
    inputTokens: usage?.input_tokens ?? 0,
    outputTokens: usage?.output_tokens ?? 0,
    cacheReadTokens: usage?.cache_read_input_tokens ?? 0,
    cacheWriteTokens: usage?.cache_creation_input_tokens ?? 0,
  };
  return { ...tokens, costUsd: costUsd(modelId, tokens) };
}

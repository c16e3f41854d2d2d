import { estimateTokens } from '../funnel/tokens.ts';
import type { ModelMessage, ModelRequest } from './model.ts';

/** Transcripts grow at the end only, so each message is counted once. */
const counted = new WeakMap<ModelMessage, number>();

/** Estimated input tokens of a request: tools, system, schema and all messages. Tool schemas alone are often above 1,500. */
export function estimateRequest(request: Pick<ModelRequest, 'system' | 'tools' | 'messages' | 'jsonSchema'>): number {
  const fixed = [...request.system, JSON.stringify(request.tools), JSON.stringify(request.jsonSchema ?? '')];
  const messages = request.messages.map((message) => {
    const tokens = counted.get(message) ?? estimateTokens(JSON.stringify(message));
    counted.set(message, tokens);
    return tokens;
  });
  return [...fixed.map(estimateTokens), ...messages].reduce((total, tokens) => total + tokens, 0);
}

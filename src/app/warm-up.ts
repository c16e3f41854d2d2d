import type { Config } from '../config/schema.ts';
import { estimateTokens } from '../funnel/tokens.ts';

/**
 * Loads what the first investigation of a worker would otherwise wait for: the model's client and the tokenizer. For a process that is ready and has
 * nothing else to do.
 */
export async function warmUp({ ANTHROPIC_API_KEY }: Config): Promise<void> {
  if (ANTHROPIC_API_KEY === undefined) return;
  await import('../llm/client.ts');
  estimateTokens('warm');
}

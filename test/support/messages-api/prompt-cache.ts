import { createHash } from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

/** Counts of one request, as `usage` has them. */
export interface CachedUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

/** A shorter prefix is not kept, whatever marks it. */
const LEAST_TOKENS = 1024;
/** From each breakpoint the cache is searched back over so many blocks. */
const LOOKBACK_BLOCKS = 20;
const CHARACTERS_PER_TOKEN = 4;

/**
 * The prompt cache: a prefix of blocks (tools, then system, then messages) that an earlier request marked with a breakpoint is read, the rest up to the
 * last breakpoint is written. Byte-equal only. The format of the output changes the system prompt, and the choice of tools the messages, so neither
 * is read after such a change. Nothing expires.
 */
export function createPromptCache(): { count(body: unknown): CachedUsage } {
  const kept = new Set<string>();
  return {
    count(body) {
      const blocks = blocksOf(body as Json);
      const ends = blocks.flatMap(({ isBreakpoint, tokensUntil }, i) =>
        isBreakpoint && tokensUntil >= LEAST_TOKENS ? [i] : [],
      );
      const read = ends
        .flatMap((end) => Array.from({ length: Math.min(LOOKBACK_BLOCKS, end + 1) }, (_, back) => end - back))
        .filter((i) => kept.has(blocks[i]?.key ?? ''));
      const tokensAt = (i: number | undefined) => (i === undefined ? 0 : (blocks[i]?.tokensUntil ?? 0));
      const readTokens = Math.max(0, ...read.map(tokensAt));
      const writtenUntil = Math.max(readTokens, tokensAt(ends.at(-1)));
      for (const end of ends) kept.add(blocks[end]?.key ?? '');
      return {
        input_tokens: tokensAt(blocks.length - 1) - writtenUntil,
        cache_read_input_tokens: readTokens,
        cache_creation_input_tokens: writtenUntil - readTokens,
      };
    },
  };
}

interface Block {
  /** Of everything up to and with this block. */
  readonly key: string;
  readonly tokensUntil: number;
  readonly isBreakpoint: boolean;
}

function blocksOf(body: Json): readonly Block[] {
  const list = (value: unknown) => (Array.isArray(value) ? (value as Json[]) : []);
  const system = typeof body['system'] === 'string' ? [{ type: 'text', text: body['system'] }] : list(body['system']);
  const spoken = list(body['messages']).flatMap(({ role, content }) =>
    typeof content === 'string' ? [{ role, text: content }] : list(content).map((block) => ({ role, ...block })),
  );
  const parts = [
    ...list(body['tools']).map((block) => ({ block, under: '' })),
    ...system.map((block) => ({ block, under: JSON.stringify(body['output_config'] ?? null) })),
    ...spoken.map((block) => ({ block, under: JSON.stringify(body['tool_choice'] ?? null) })),
  ];
  const blocks: Block[] = [];
  for (const [i, { block, under }] of parts.entries()) {
    const { cache_control: mark, ...content } = block as Json;
    const text = JSON.stringify(content);
    const before = blocks.at(-1);
    blocks.push({
      key: createHash('sha256').update(`${before?.key}\n${under}\n${text}`).digest('hex'),
      tokensUntil: (before?.tokensUntil ?? 0) + Math.ceil(text.length / CHARACTERS_PER_TOKEN),
      isBreakpoint: Boolean(mark) || (i === parts.length - 1 && Boolean(body['cache_control'])),
    });
  }
  return blocks;
}

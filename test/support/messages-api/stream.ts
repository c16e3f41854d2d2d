import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply, ReplyBlock } from './script.ts';

type Json = Readonly<Record<string, unknown>>;

/** Sizes of the pieces that bytes and text are sent in: they fall inside words, escapes and UTF-8 sequences. */
const PIECES = [1, 7, 2, 61, 3, 200, 5];

let counter = 0;

/** The answer as the API's message object. Fields that the SDK types require but that may be null are all there. */
export function messageOf(reply: Reply, model: string) {
  const blocks = (reply.blocks ?? []).map(contentOf);
  const usesTools = blocks.some((block) => block['type'] === 'tool_use');
  return {
    id: `msg_${++counter}`,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks,
    container: null,
    diagnostics: null,
    stop_reason: reply.stopReason ?? (usesTools ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    stop_details: reply.stopDetails ?? null,
    usage: reply.usage === null ? null : { ...DEFAULT_USAGE, ...reply.usage },
  };
}

const DEFAULT_USAGE = {
  input_tokens: 1000,
  output_tokens: 100,
  cache_creation: null,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: 'standard',
  speed: null,
};

function contentOf(block: ReplyBlock): Json {
  if (block.type === 'text') return { ...block, citations: null };
  if (block.type === 'thinking') return { ...block };
  const { name, id = `toolu_${++counter}`, input = {} } = block;
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } };
}

/** Streams the message as server-sent events, with the faults of the reply. Resolves when there is nothing more to send. */
export async function streamMessage(
  response: ServerResponse,
  reply: Reply,
  message: ReturnType<typeof messageOf>,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...reply.headers });
  response.flushHeaders();
  const events = [...eventsOf(reply, message)];
  for (const [i, event] of events.entries()) {
    if (response.destroyed || reply.stallAfterEvents === i) return;
    if (reply.cutAfterEvents === i) return void response.destroy();
    if (reply.endAfterEvents === i) break;
    if (reply.badLineAfterEvents === i)
      await writeInPieces(response, 'event: content_block_delta\ndata: {"type": oops\n\n');
    if (reply.errorEventAfterEvents === i) {
      const error = { type: reply.errorType ?? 'overloaded_error', message: reply.message ?? 'Overloaded' };
      await writeInPieces(response, sse('error', { type: 'error', error, request_id: null }));
      break;
    }
    if (reply.delayBetweenEventsMs) await sleep(reply.delayBetweenEventsMs, undefined, { ref: false });
    await writeInPieces(response, sse(String(event['type']), event));
  }
  response.end();
}

function* eventsOf(reply: Reply, message: ReturnType<typeof messageOf>): Generator<Json> {
  const usage = message.usage;
  const atStart = usage && { ...usage, output_tokens: Math.min(1, usage.output_tokens) };
  yield {
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, stop_details: null, usage: atStart },
  };
  yield { type: 'ping' };
  for (const [index, block] of message.content.entries()) {
    yield* blockEvents(index, block, reply.blocks?.[index]);
  }
  yield {
    type: 'message_delta',
    delta: {
      container: null,
      stop_reason: message.stop_reason,
      stop_sequence: null,
      stop_details: message.stop_details,
    },
    usage,
  };
  yield { type: 'message_stop' };
}

function* blockEvents(index: number, block: Json, scripted: ReplyBlock | undefined): Generator<Json> {
  const delta = (change: Json): Json => ({ type: 'content_block_delta', index, delta: change });
  if (scripted?.type === 'tool_use') {
    yield { type: 'content_block_start', index, content_block: { ...block, input: {} } };
    yield delta({ type: 'input_json_delta', partial_json: '' });
    const json = scripted.rawInput ?? JSON.stringify(scripted.input ?? {});
    for (const piece of inPieces(Array.from(json)))
      yield delta({ type: 'input_json_delta', partial_json: piece.join('') });
  } else if (scripted?.type === 'thinking') {
    yield { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } };
    yield delta({ type: 'thinking_delta', thinking: scripted.thinking });
    yield delta({ type: 'signature_delta', signature: scripted.signature });
  } else if (scripted) {
    yield { type: 'content_block_start', index, content_block: { ...block, text: '' } };
    for (const piece of inPieces(Array.from(scripted.text))) yield delta({ type: 'text_delta', text: piece.join('') });
  }
  yield { type: 'content_block_stop', index };
}

function sse(name: string, data: Json): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

async function writeInPieces(response: ServerResponse, text: string): Promise<void> {
  for (const piece of inPieces(Buffer.from(text))) {
    response.write(Buffer.from(piece));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function* inPieces<T>(items: ArrayLike<T> & { slice(from: number, to: number): ArrayLike<T> }): Generator<T[]> {
  for (let start = 0, n = 0; start < items.length; n++) {
    const size = PIECES[n % PIECES.length] ?? 1;
    yield Array.from(items.slice(start, start + size));
    start += size;
  }
}

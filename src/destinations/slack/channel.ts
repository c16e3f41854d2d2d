import { z } from 'zod';
import type { Turns } from '../../domain/delivery.ts';
import type { SlackAnswer, SlackApi, SlackFailure } from './api.ts';
import { section, type Message } from './blocks.ts';
import { findPosted } from './find-posted.ts';
import { heedPause, takeTurn } from './take-turn.ts';

/** Slack does not take the blocks; the words still reach the reader. */
const BLOCKS_REFUSED = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'msg_too_long']);
/** Without a `…:history` scope posts cannot be looked for. */
const CANNOT_LOOK = new Set(['missing_scope', 'not_in_channel', 'no_permission', 'channel_not_found']);

const Posted = z.looseObject({ ts: z.string(), channel: z.string() });
const Updated = z.looseObject({});

/** A message and what it is found by. */
export interface Marked extends Message {
  /** Id of its first block: Slack gives block ids back to every reader, and keeps those of an edit. */
  readonly blockId: string;
  /** In the metadata: of the delivery that posted it. */
  readonly marker: string;
}

export interface Looked {
  readonly threadTs?: string;
  readonly markers: readonly string[];
  readonly sinceMs: number;
}

export const NOTHING_POSTED: SlackAnswer<ReadonlyMap<string, string>> = { ok: true, body: new Map(), scopes: [] };

/** The calls on one channel; posts are paced. */
export class Channel {
  readonly id: string;
  readonly api: SlackApi;
  readonly #turns: Turns;
  readonly #postEveryMs: number | undefined;
  readonly #isSummary: boolean;

  /** `isSummary`: what is posted goes before all that waits. */
  constructor(api: SlackApi, id: string, turns: Turns, postEveryMs?: number, isSummary = false) {
    this.api = api;
    this.id = id;
    this.#turns = turns;
    this.#postEveryMs = postEveryMs;
    this.#isSummary = isSummary;
  }

  /** Finds nothing where the token may not look: then posting twice is better than not at all. */
  async find({ threadTs, markers, sinceMs }: Looked, signal: AbortSignal) {
    const place = { channel: this.id, sinceMs, ...(threadTs === undefined ? {} : { threadTs }) };
    const answer = await findPosted(this.api, place, markers, signal);
    return !answer.ok && CANNOT_LOOK.has(answer.error) ? NOTHING_POSTED : answer;
  }

  /** Waits for the channel's next turn; a failure when that is too far away. */
  async turn(signal: AbortSignal, hasBegun = false): Promise<Extract<SlackAnswer<never>, { ok: false }> | undefined> {
    const every = this.#postEveryMs === undefined ? {} : { everyMs: this.#postEveryMs };
    const failure = await takeTurn(this.#turns, this.id, signal, { ...every, hasBegun, isSummary: this.#isSummary });
    return failure && { ok: false, error: failure.reason, failure };
  }

  /** Posts; when the blocks are refused, once more in plain words. `threadTs`: as a reply. `isShared`: to be seen in the channel, too. */
  async post(message: Marked, signal: AbortSignal, threadTs?: string, isShared = false) {
    const thread =
      threadTs === undefined ? {} : { thread_ts: threadTs, ...(isShared ? { reply_broadcast: true } : {}) };
    const answer = await this.#post(message, thread, signal);
    if (answer.ok || !BLOCKS_REFUSED.has(answer.error)) return answer;
    return this.#post(inPlainWords(message), thread, signal);
  }

  async #post(message: Marked, thread: object, signal: AbortSignal): Promise<SlackAnswer<z.infer<typeof Posted>>> {
    const refused = await this.turn(signal, 'thread_ts' in thread);
    if (refused) return refused;
    const body = {
      ...this.#body(message),
      metadata: { event_type: 'rootnote_report', event_payload: { marker: message.marker } },
      ...thread,
      unfurl_links: false,
      unfurl_media: false,
    };
    const answer = await this.api.post('chat.postMessage', body, Posted, signal);
    if (!answer.ok) await heedPause(this.#turns, this.id, answer.failure);
    return answer;
  }

  /** Posts the replies that are not there yet, in order; the first failure ends it. */
  async reply(threadTs: string, replies: readonly Marked[], mayHavePosted: boolean, signal: AbortSignal) {
    if (replies.length === 0) return undefined;
    const markers = replies.map((reply) => reply.blockId);
    const known = mayHavePosted ? await this.find({ threadTs, markers, sinceMs: 0 }, signal) : NOTHING_POSTED;
    if (!known.ok) return afterFirstPost(known.failure);
    for (const reply of replies) {
      if (known.body.has(reply.blockId)) continue;
      const posted = await this.post(reply, signal, threadTs);
      if (!posted.ok) return afterFirstPost(posted.failure);
    }
    return undefined;
  }

  async update(ts: string, message: Marked, signal: AbortSignal) {
    const edit = (content: Marked) => this.api.post('chat.update', { ...this.#body(content), ts }, Updated, signal);
    const answer = await edit(message);
    if (answer.ok || !BLOCKS_REFUSED.has(answer.error)) return answer;
    return edit(inPlainWords(message));
  }

  #body({ text, blocks, blockId }: Marked): object {
    const marked = blocks.map((block, index) => (index === 0 ? { ...block, block_id: blockId } : block));
    return { channel: this.id, text, blocks: marked, parse: 'none', link_names: false };
  }
}

/** Still a block: text of its own would be searched for addresses to link. */
function inPlainWords(message: Marked): Marked {
  return { ...message, blocks: [section(message.text)] };
}

/** Something of this delivery is out: the next attempt has to look, even when the failed call surely posted nothing. */
function afterFirstPost(failure: SlackFailure): SlackFailure {
  if (failure.outcome === 'give-up') return failure;
  const { posted: _posted, ...rest } = failure;
  return rest;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type {
  DeliveryContent,
  DeliveryContext,
  DeliveryHandle,
  DeliveryResult,
  Destination,
} from '../../domain/delivery.ts';
import { createSlackApi, type SlackAnswer, type SlackApi } from './api.ts';
import { section } from './blocks.ts';
import { checkSlack } from './check.ts';
import { findPosted } from './find-posted.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { plainText } from './parts.ts';
import { renderPost, type Message } from './render.ts';

/** Slack allows about one message a second and channel. */
const POST_EVERY_MS = 1050;
/** Slack has a queue of its own, so waiting here holds up nobody else. */
const MAX_TURN_WAIT_MS = 30_000;
const MAX_PLAIN = 3500;
/** Clocks differ; a post is looked for from a little before the report was written. */
const CLOCK_SKEW_MS = 300_000;

/** The root can no longer be edited; the thread still tells. */
const NOT_EDITABLE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);
/** Slack does not take the blocks; the words still reach the reader. */
const BLOCKS_REFUSED = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'msg_too_long']);
/** Without a `…:history` scope posts cannot be looked for. */
const CANNOT_LOOK = new Set(['missing_scope', 'not_in_channel', 'no_permission', 'channel_not_found']);

const Posted = z.looseObject({ ts: z.string(), channel: z.string() });
const Updated = z.looseObject({});

export interface SlackOptions {
  readonly apiUrl: string;
  readonly botToken: string;
  readonly channel: string;
  readonly pacer?: Pacer;
}

/**
 * Full mode, with a bot token: the report is one message with what did not fit in its thread; when the alert resolves, the message's
 * header is edited and the thread says so. Posts carry the delivery's marker as block id and metadata: an attempt of unknown outcome is
 * looked up before anything is posted again. Where the token may not read the channel that is impossible, and posting twice is better
 * than not at all (`check` warns about it).
 */
export function createSlackDestination(options: SlackOptions): Destination {
  const api = createSlackApi(options.apiUrl, options.botToken);
  const pacer =
    options.pacer ??
    createPacer({ intervalMs: POST_EVERY_MS, maxWaitMs: MAX_TURN_WAIT_MS, now: Date.now, sleep: pause });
  const channel = new Channel(api, pacer, options.channel);
  return {
    name: 'slack',
    tells: ['report', 'resolved'],
    deliver: (content, context) =>
      content.kind === 'report' ? deliverReport(channel, content, context) : deliverResolved(channel, content, context),
    check: (signal) => checkSlack(api, options.channel, signal),
  };
}

async function deliverReport(
  channel: Channel,
  content: DeliveryContent,
  context: DeliveryContext,
): Promise<DeliveryResult> {
  const { marker, signal } = context;
  const { root, replies } = renderPost(content, marker, { threads: true });
  const since = Date.parse(content.report.generatedAt) - CLOCK_SKEW_MS;
  const known = context.mayHavePosted ? await channel.find(undefined, [marker], since, signal) : NOTHING_POSTED;
  if (!known.ok) return known.failure;

  let ts = known.body.get(marker);
  if (ts === undefined) {
    const posted = await channel.post({ ...root, marker }, plainText(content, MAX_PLAIN), signal);
    if (!posted.ok) return posted.failure;
    ts = posted.body.ts;
  }
  const thread = replies.map((message, index) => marked(message, `${marker}-${index + 1}`));
  const failure = await channel.reply(ts, thread, context.mayHavePosted, signal);
  if (failure?.outcome === 'retry') return failure;
  return { outcome: 'ok', handle: { channel: channel.id, ts, marker } };
}

async function deliverResolved(
  channel: Channel,
  content: DeliveryContent,
  context: DeliveryContext,
): Promise<DeliveryResult> {
  const ts = context.handle?.['ts'];
  if (ts === undefined)
    return { outcome: 'give-up', reason: 'the report was not posted here, so there is no thread to update' };
  const { signal, marker, handle } = context;
  // The root keeps its block id: it is the report's post, in whatever state.
  const { root } = renderPost(content, handle?.['marker'] ?? marker, { threads: true });
  const updated = await channel.update(ts, root, plainText(content, MAX_PLAIN), signal);
  if (!updated.ok && !NOT_EDITABLE.has(updated.error)) return updated.failure;

  const [headline = ''] = root.text.split('\n');
  const failure = await channel.reply(
    ts,
    [marked({ text: headline, blocks: [section(headline)] }, marker)],
    context.mayHavePosted,
    signal,
  );
  return failure ?? { outcome: 'ok', handle: handle as DeliveryHandle };
}

type Marked = Message & { readonly marker: string };

/** The marker is the first block's id: Slack gives block ids back to every reader, metadata only to some. */
function marked(message: Message, marker: string): Marked {
  const blocks = message.blocks.map((block, index) => (index === 0 ? { ...block, block_id: marker } : block));
  return { ...message, blocks, marker };
}

const NOTHING_POSTED: SlackAnswer<ReadonlyMap<string, string>> = { ok: true, body: new Map(), scopes: [] };

/** The calls on one channel, paced. */
class Channel {
  readonly id: string;
  readonly #api: SlackApi;
  readonly #pacer: Pacer;

  constructor(api: SlackApi, pacer: Pacer, id: string) {
    this.#api = api;
    this.#pacer = pacer;
    this.id = id;
  }

  find(threadTs: string | undefined, markers: readonly string[], sinceMs: number, signal: AbortSignal) {
    const place = { channel: this.id, sinceMs, ...(threadTs === undefined ? {} : { threadTs }) };
    return findPosted(this.#api, place, markers, signal).then((answer) =>
      !answer.ok && CANNOT_LOOK.has(answer.error) ? NOTHING_POSTED : answer,
    );
  }

  /** Posts; when the blocks are refused, once more as plain text. */
  async post(message: Marked, plain: string, signal: AbortSignal, threadTs?: string) {
    const answer = await this.#post(message, signal, threadTs);
    if (answer.ok || !BLOCKS_REFUSED.has(answer.error)) return answer;
    return this.#post({ text: plain, blocks: [], marker: message.marker }, signal, threadTs);
  }

  async #post(message: Marked, signal: AbortSignal, threadTs?: string): Promise<SlackAnswer<z.infer<typeof Posted>>> {
    const { afterMs } = await this.#pacer.turn(this.id, signal);
    if (afterMs !== undefined) {
      const reason = 'the channel has more messages waiting than Slack takes at once';
      return { ok: false, error: reason, failure: { outcome: 'retry', reason, afterMs, posted: 'no' } };
    }
    const body = {
      ...this.#body(message),
      metadata: { event_type: 'rootnote_report', event_payload: { marker: message.marker } },
      ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      unfurl_links: false,
      unfurl_media: false,
    };
    const answer = await this.#api.post('chat.postMessage', body, Posted, signal);
    if (!answer.ok && answer.failure.outcome === 'retry' && answer.failure.afterMs !== undefined) {
      this.#pacer.pause(this.id, answer.failure.afterMs);
    }
    return answer;
  }

  /** Posts the replies that are not there yet, in order; the first failure ends it. */
  async reply(threadTs: string, replies: readonly Marked[], mayHavePosted: boolean, signal: AbortSignal) {
    if (replies.length === 0) return undefined;
    const markers = replies.map((reply) => reply.marker);
    const known = mayHavePosted ? await this.find(threadTs, markers, 0, signal) : NOTHING_POSTED;
    if (!known.ok) return known.failure;
    for (const reply of replies) {
      if (known.body.has(reply.marker)) continue;
      const posted = await this.post(reply, reply.text, signal, threadTs);
      // Something of this delivery is out: the next attempt has to look, even when this call surely posted nothing.
      if (!posted.ok) return afterFirstPost(posted.failure);
    }
    return undefined;
  }

  async update(ts: string, message: Message, plain: string, signal: AbortSignal) {
    const edit = (content: Message) => this.#api.post('chat.update', { ...this.#body(content), ts }, Updated, signal);
    const answer = await edit(message);
    if (answer.ok || !BLOCKS_REFUSED.has(answer.error)) return answer;
    return edit({ text: plain, blocks: [] });
  }

  #body({ text, blocks }: Message): object {
    return { channel: this.id, text, ...(blocks.length > 0 ? { blocks } : {}), parse: 'none', link_names: false };
  }
}

function afterFirstPost(
  failure: Exclude<DeliveryResult, { outcome: 'ok' }>,
): Exclude<DeliveryResult, { outcome: 'ok' }> {
  if (failure.outcome === 'give-up') return failure;
  const { posted: _posted, ...rest } = failure;
  return rest;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal });
}

import type { DeliveryContext, DeliveryResult } from '../../domain/delivery.ts';
import type { SlackFailure } from './api.ts';
import type { Message } from './blocks.ts';
import { NOTHING_POSTED, type Channel, type Marked } from './channel.ts';

/** The message is there and stays as it is. */
const NOT_EDITABLE = new Set(['cant_update_message', 'edit_window_closed']);
const CLOCK_SKEW_MS = 300_000;

/** What has one message of its own in the channel: an incident, or a storm. */
export interface Subject {
  readonly id: string;
  /** Nothing about it was posted before, epoch ms. */
  readonly sinceMs: number;
  /** What its message is to say. */
  readonly message: Message;
  /** What is posted when there is no message any more. */
  readonly anew: Message;
  /** False: what follows a message, and is not told where none was ever posted. */
  readonly isToldAlone: boolean;
}

export interface Told {
  readonly ts: string;
  /** Posted by this delivery, in this attempt or an earlier one. */
  readonly isFresh: boolean;
}

/**
 * Brings the message of a subject up to date: edits the one that is known, or that an earlier attempt posted, else posts it. Where Slack does not let
 * it be edited the whole is posted in its thread and shown in the channel.
 */
export async function tellRoot(
  channel: Channel,
  subject: Subject,
  context: DeliveryContext,
): Promise<Told | Exclude<DeliveryResult, { outcome: 'ok' }>> {
  const { handle, marker, mayHavePosted, signal } = context;
  const root: Marked = { ...subject.message, blockId: `root-${subject.id}`, marker };
  const edit = (ts: string) => editOrRepeat(channel, ts, root, subject.anew, context);
  const knownTs = handle?.['ts'];
  if (knownTs !== undefined) {
    const edited = await edit(knownTs);
    if (edited !== 'gone') return edited;
  }
  // What follows another content may come after one that posted and died before it could say where.
  const mayBeThere = mayHavePosted || (knownTs === undefined && !subject.isToldAlone);
  const wanted = { markers: [root.blockId, marker], sinceMs: subject.sinceMs - CLOCK_SKEW_MS };
  const known = mayBeThere ? await channel.find(wanted, signal) : NOTHING_POSTED;
  if (!known.ok) return known.failure;
  const foundTs = known.body.get(root.blockId);
  if (foundTs !== undefined && foundTs === known.body.get(marker)) return { ts: foundTs, isFresh: true };
  if (foundTs !== undefined) {
    const edited = await edit(foundTs);
    if (edited !== 'gone') return edited;
  }
  if (knownTs === undefined && !subject.isToldAlone) {
    return { outcome: 'give-up', reason: 'the report was not posted here, so there is no thread to update' };
  }
  const posted = await channel.post({ ...root, ...subject.anew }, signal);
  return posted.ok ? { ts: posted.body.ts, isFresh: true } : posted.failure;
}

async function editOrRepeat(
  channel: Channel,
  ts: string,
  root: Marked,
  anew: Message,
  { mayHavePosted, signal }: DeliveryContext,
): Promise<Told | SlackFailure | 'gone'> {
  const edited = await channel.update(ts, root, signal);
  if (edited.ok) return { ts, isFresh: false };
  if (edited.error === 'message_not_found') return 'gone';
  if (!NOT_EDITABLE.has(edited.error)) return edited.failure;
  const again: Marked = { ...root, ...anew, blockId: `${root.marker}-again`, marker: `${root.marker}-again` };
  const looked = { threadTs: ts, markers: [again.blockId], sinceMs: 0 };
  const known = mayHavePosted ? await channel.find(looked, signal) : NOTHING_POSTED;
  if (!known.ok) return known.failure;
  if (known.body.has(again.blockId)) return { ts, isFresh: true };
  const posted = await channel.post(again, signal, ts, true);
  // Broadcast to thread and channel: it has the news in it.
  return posted.ok ? { ts, isFresh: true } : posted.failure;
}

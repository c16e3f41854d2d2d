import type { DeliveryContent, DeliveryContext, DeliveryResult, Destination } from '../../domain/delivery.ts';
import type { StormSummary } from '../../domain/storm.ts';
import { fingerprint } from '../fingerprint.ts';
import { renderTimeline, type RenderTimeline } from '../timeline/render-timeline.ts';
import { createSlackApi } from './api.ts';
import { section, type Message } from './blocks.ts';
import { Channel } from './channel.ts';
import { checkSlack } from './check.ts';
import { headline, standing, verdictLine } from './parts.ts';
import { attachTimeline } from './picture.ts';
import { renderStorm } from './render-storm.ts';
import { renderPost, type Elsewhere } from './render.ts';
import { tellRoot, type Subject } from './root.ts';

export interface SlackOptions {
  readonly apiUrl: string;
  readonly botToken: string;
  readonly channel: string;
  /** Default: about a second. */
  readonly postEveryMs?: number;
  readonly timeline?: RenderTimeline;
}

/**
 * Full mode, with a bot token: one incident, one thread. Its root is posted by the first content that arrives and edited by the later
 * ones; what did not fit, and what is new, is told in the thread. All that is posted can be found again (block id, metadata, file name): an attempt of
 * unknown outcome is looked up before anything is posted again. Where the token may not read the channel that is impossible, and posting
 * twice is better than not at all (`check` warns about it).
 */
export function createSlackDestination(options: SlackOptions): Destination {
  const api = createSlackApi(options.apiUrl, options.botToken);
  // A post stays where it is when the setting is changed.
  const channelOf = ({ handle, turns }: DeliveryContext, isSummary = false) =>
    new Channel(api, handle?.['channel'] ?? options.channel, turns, options.postEveryMs, isSummary);
  const timeline = options.timeline ?? renderTimeline;
  return {
    name: 'slack',
    tells: ['first-look', 'report', 'update', 'resolved'],
    deliver: (content, context) => deliver(channelOf(context), content, context, timeline),
    deliverStorm: (storm, context) => deliverStorm(channelOf(context, true), storm, context),
    check: (signal) => checkSlack(api, options.channel, signal),
  };
}

async function deliver(
  channel: Channel,
  content: DeliveryContent,
  context: DeliveryContext,
  timeline: RenderTimeline,
): Promise<DeliveryResult> {
  const elsewhere: Elsewhere = content.kind === 'first-look' ? 'to follow with the report' : 'in the thread';
  const { root, replies } = renderPost(content, elsewhere);
  const told = await tellRoot(channel, subjectOf(content, root), context);
  if ('outcome' in told) return told;

  const details = fingerprint(replies.map(({ blocks }) => blocks));
  const isNews = content.kind === 'report' || (content.kind === 'update' && context.handle?.['details'] !== details);
  const thread = [
    // An edit notifies nobody, and a root that is news itself needs no second word.
    ...(told.isFresh ? [] : announcement(content)),
    ...(isNews ? replies : []),
  ];
  const { marker, mayHavePosted, signal } = context;
  const marked = thread.map((message, index) => {
    const blockId = `${marker}-${index + 1}`;
    return { ...message, blockId, marker: blockId };
  });
  const failure = await channel.reply(told.ts, marked, mayHavePosted, signal);
  // What is refused for good in the thread is a part; the whole stands in the root.
  if (failure?.outcome === 'retry') return failure;
  if (content.kind === 'report') {
    await attachTimeline(channel, { report: content.report, threadTs: told.ts, mayHavePosted, timeline }, signal);
  }
  const known = context.handle?.['details'];
  const toldDetails = isNews ? details : known;
  return {
    outcome: 'ok',
    handle: { channel: channel.id, ts: told.ts, ...(toldDetails === undefined ? {} : { details: toldDetails }) },
  };
}

function subjectOf(content: DeliveryContent, root: Message): Subject {
  const isOver = content.kind === 'resolved';
  return {
    id: content.incident.id,
    sinceMs: content.incident.startsAtMs,
    message: root,
    // Who removed the report does not want it back when all is over; nobody waits for the end of what was never told.
    anew: isOver ? short(headline(content)) : root,
    isToldAlone: !isOver,
  };
}

/** What followers of the thread are to be told when the root is edited. */
function announcement(content: DeliveryContent): readonly Message[] {
  if (content.kind === 'resolved') return [short(headline(content))];
  if (content.kind !== 'update') return [];
  const news = standing(content) ?? '';
  return [{ text: news.replaceAll('*', ''), blocks: [section(`${news}\n${verdictLine(content.report)}`)] }];
}

const short = (text: string): Message => ({ text, blocks: [section(text)] });

async function deliverStorm(channel: Channel, storm: StormSummary, context: DeliveryContext): Promise<DeliveryResult> {
  const message = renderStorm(storm);
  const subject = { id: storm.id, sinceMs: storm.startedAtMs, message, anew: message, isToldAlone: true };
  const told = await tellRoot(channel, subject, context);
  return 'outcome' in told ? told : { outcome: 'ok', handle: { channel: channel.id, ts: told.ts } };
}

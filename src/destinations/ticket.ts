import type { DeliveryContent, DeliveryContext, DeliveryHandle, DeliveryResult } from '../domain/delivery.ts';
import type { StormSummary } from '../domain/storm.ts';
import { AT_A_GLANCE } from './fit-outline.ts';
import type { ApiAnswer } from './json-api.ts';
import type { Outline } from './outline.ts';
import { subjectOf } from './report-head.ts';
import { outlineOf } from './report-outline.ts';
import { stormOutline, stormSubject } from './storm-outline.ts';

/** Clocks differ; a post is looked for from a little before anything could be told. */
const CLOCK_SKEW_MS = 300_000;

/** What is to be written: as the text of a ticket, or as a comment on it. */
export interface TicketPost {
  /** Id of the incident or storm: one ticket each. */
  readonly subjectId: string;
  readonly marker: string;
  /** One line, not cut. */
  readonly title: string;
  readonly outline: Outline;
  /** Level of `fitOutline` to begin with. */
  readonly from: number;
}

export interface FoundTicket {
  readonly handle: DeliveryHandle;
  /** Its own text, not a comment's, carries the marker. */
  readonly isOwn: boolean;
}

/** What a ticket system does. Nothing is thrown for an answer of the other side. */
export interface Tracker {
  open(post: TicketPost, signal: AbortSignal): Promise<ApiAnswer<DeliveryHandle>>;
  comment(ticket: DeliveryHandle, post: TicketPost, signal: AbortSignal): Promise<ApiAnswer<unknown>>;
  /** The ticket of a subject, opened no earlier than `sinceMs`. */
  find(post: TicketPost, sinceMs: number, signal: AbortSignal): Promise<ApiAnswer<FoundTicket | undefined>>;
  hasComment(
    ticket: DeliveryHandle,
    post: TicketPost,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<ApiAnswer<boolean>>;
}

/**
 * One ticket an incident: the report opens it, what comes later is commented on it. Where the handle is not known, because the report's outcome was
 * never learnt, the ticket is looked for by the incident before another is opened; and a comment of unknown outcome by its marker.
 */
export async function tellIncident(
  tracker: Tracker,
  content: DeliveryContent,
  context: DeliveryContext,
): Promise<DeliveryResult> {
  const isReport = content.kind === 'report';
  const post = {
    subjectId: content.incident.id,
    marker: context.marker,
    title: subjectOf(content.report),
    outline: outlineOf(content, context.handle?.['toldAt']),
    from: isReport ? 0 : AT_A_GLANCE,
  };
  const sinceMs = Math.min(content.incident.startsAtMs, Date.parse(content.report.generatedAt));
  const result = await tell(
    tracker,
    post,
    { sinceMs, isFirst: isReport, mayOpen: content.kind !== 'resolved' },
    context,
  );
  return result.outcome === 'ok'
    ? { ...result, handle: { ...result.handle, toldAt: content.report.generatedAt } }
    : result;
}

/** One ticket a storm, and a comment when it is over. Editions in between change nothing: a list that is posted again and again is not read. */
export function tellStorm(tracker: Tracker, storm: StormSummary, context: DeliveryContext): Promise<DeliveryResult> {
  if (context.handle !== undefined && !storm.isOver) return Promise.resolve({ outcome: 'ok', handle: context.handle });
  const outline = stormOutline(storm);
  const post = { subjectId: storm.id, marker: context.marker, title: stormSubject(storm), outline, from: 0 };
  return tell(tracker, post, { sinceMs: storm.startedAtMs, isFirst: false, mayOpen: true }, context);
}

interface Standing {
  readonly sinceMs: number;
  /** Nothing can have been told before it. */
  readonly isFirst: boolean;
  readonly mayOpen: boolean;
}

async function tell(
  tracker: Tracker,
  post: TicketPost,
  { sinceMs, isFirst, mayOpen }: Standing,
  context: DeliveryContext,
): Promise<DeliveryResult> {
  const { handle, mayHavePosted, signal } = context;
  const from = sinceMs - CLOCK_SKEW_MS;
  if (handle !== undefined) return comment(tracker, handle, post, from, context);
  if (mayHavePosted || !isFirst) {
    const found = await tracker.find(post, from, signal);
    if (!found.ok) return found.failure;
    if (found.body?.isOwn) return { outcome: 'ok', handle: found.body.handle };
    if (found.body) return comment(tracker, found.body.handle, post, from, context);
  }
  if (!mayOpen)
    return { outcome: 'give-up', reason: 'the report was not posted here, so there is nothing to comment on' };
  const opened = await tracker.open(post, signal);
  return opened.ok ? { outcome: 'ok', handle: opened.body } : opened.failure;
}

async function comment(
  tracker: Tracker,
  handle: DeliveryHandle,
  post: TicketPost,
  sinceMs: number,
  { mayHavePosted, signal }: DeliveryContext,
): Promise<DeliveryResult> {
  if (mayHavePosted) {
    const found = await tracker.hasComment(handle, post, sinceMs, signal);
    if (!found.ok) return found.failure;
    if (found.body) return { outcome: 'ok', handle };
  }
  const posted = await tracker.comment(handle, post, signal);
  return posted.ok ? { outcome: 'ok', handle } : posted.failure;
}

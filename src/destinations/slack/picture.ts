import { z } from 'zod';
import type { Report } from '../../domain/report.ts';
import { httpRequest } from '../../platform/http-request.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { RenderTimeline } from '../timeline/render-timeline.ts';
import type { Channel } from './channel.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 65_536;
const MAX_ALT_TEXT = 900;
/** One moment is no line of time. */
const FEWEST_POINTS = 2;

const UploadPlace = z.looseObject({ upload_url: z.url({ protocol: /^https?$/ }), file_id: z.string() });
const Completed = z.looseObject({});

export interface Attachment {
  readonly report: Report;
  readonly threadTs: string;
  /** An earlier attempt may have attached it: look for it first. */
  readonly mayHavePosted: boolean;
  readonly timeline: RenderTimeline;
}

/**
 * The timeline as a picture in the thread, once a report. It comes last and is left out when anything goes wrong with it (no scope files:write,
 * Slack is busy, the picture cannot be drawn): the report is told already, and a second attempt at all of it would serve nobody.
 */
export async function attachTimeline(
  channel: Channel,
  { report, threadTs, mayHavePosted, timeline }: Attachment,
  signal: AbortSignal,
): Promise<void> {
  if (report.evidence.filter(({ at }) => at !== null).length < FEWEST_POINTS) return;
  const name = pictureName(report.id);
  if (mayHavePosted) {
    const known = await channel.find({ threadTs, markers: [name], sinceMs: 0 }, signal);
    if (!known.ok || known.body.has(name)) return;
  }
  const png = await timeline(report);
  if (png === undefined) return;
  const parameters = { filename: name, length: String(png.length), alt_txt: altText(report) };
  const place = await channel.api.read('files.getUploadURLExternal', parameters, UploadPlace, signal);
  if (!place.ok || !(await sendBytes(place.body.upload_url, png, signal))) return;
  if (await channel.turn(signal)) return;
  const files = [{ id: place.body.file_id, title: 'Timeline of the evidence' }];
  const body = { files, channel_id: channel.id, thread_ts: threadTs };
  await channel.api.post('files.completeUploadExternal', body, Completed, signal);
}

/** What a later attempt finds it by. */
export function pictureName(reportId: string): string {
  return `timeline-${reportId.replace(/[^\w-]/g, '_').slice(0, 150)}.png`;
}

/** The address is a secret of its own; the token does not go there. */
async function sendBytes(url: string, bytes: Uint8Array, signal: AbortSignal): Promise<boolean> {
  try {
    const headers = { 'content-type': 'application/octet-stream' };
    const request = { url, method: 'POST' as const, headers, body: bytes, signal };
    const { status } = await httpRequest({ ...request, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES });
    return status >= 200 && status < 300;
  } catch {
    return false;
  }
}

/** For those who do not see it: the same facts in the order of time. */
function altText({ incident, evidence }: Report): string {
  const told = evidence
    .filter((item) => item.at !== null)
    .toSorted((a, b) => (a.at ?? '').localeCompare(b.at ?? ''))
    .map(({ id, relative, statement }) => `${id} ${relative ?? ''}: ${clip(oneLine(statement), 90)}`);
  return clip(oneLine(`Timeline of ${incident.title}. ${told.join('. ')}`), MAX_ALT_TEXT);
}

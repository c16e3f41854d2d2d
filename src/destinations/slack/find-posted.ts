import { z } from 'zod';
import type { SlackAnswer, SlackApi } from './api.ts';

const PAGE = 200;
/** A thousand messages back. A busier channel is no place for reports. */
const MAX_MESSAGES = 1000;
/** Slack may give fewer a page than it is asked for; half a minute's worth of calls at its usual limit. */
const MAX_PAGES = 25;

const Posted = z.looseObject({
  ts: z.string(),
  blocks: z.array(z.looseObject({ block_id: z.string().optional() })).optional(),
  metadata: z
    .looseObject({ event_payload: z.looseObject({ marker: z.string().optional() }).optional() })
    .optional()
    .catch(undefined),
  files: z.array(z.looseObject({ name: z.string().nullish() })).optional(),
});
const Messages = z.looseObject({
  messages: z.array(Posted),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});

export interface Place {
  readonly channel: string;
  /** Replies of this thread instead of messages of the channel. */
  readonly threadTs?: string;
  /** Only what is younger, epoch ms. */
  readonly sinceMs: number;
}

/** `ts` of the messages that carry one of the markers, by marker. The answer to "did the last attempt post?". */
export async function findPosted(
  api: SlackApi,
  place: Place,
  markers: readonly string[],
  signal: AbortSignal,
): Promise<SlackAnswer<ReadonlyMap<string, string>>> {
  const found = new Map<string, string>();
  let cursor = '';
  let seen = 0;
  for (let page = 0; page < MAX_PAGES && seen < MAX_MESSAGES; page++) {
    const answer = await api.read(
      place.threadTs === undefined ? 'conversations.history' : 'conversations.replies',
      {
        channel: place.channel,
        ...(place.threadTs === undefined ? { oldest: (place.sinceMs / 1000).toFixed(6) } : { ts: place.threadTs }),
        limit: String(PAGE),
        include_all_metadata: 'true',
        ...(cursor === '' ? {} : { cursor }),
      },
      Messages,
      signal,
    );
    if (!answer.ok) return answer;
    seen += answer.body.messages.length;
    for (const message of answer.body.messages) {
      const carried = markersOf(message);
      for (const marker of markers) if (carried.includes(marker)) found.set(marker, message.ts);
    }
    cursor = answer.body.response_metadata?.next_cursor ?? '';
    if (found.size === markers.length || cursor === '') break;
  }
  return { ok: true, body: found, scopes: [] };
}

/** In places that data cannot reach: block ids, metadata, names of files. */
function markersOf({ blocks = [], metadata, files = [] }: z.infer<typeof Posted>): readonly string[] {
  const found = [
    ...blocks.map((block) => block.block_id),
    metadata?.event_payload?.marker,
    ...files.map(({ name }) => name),
  ];
  return found.filter((marker) => typeof marker === 'string');
}

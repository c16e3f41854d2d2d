import { z } from 'zod';
import type {
  DeliveryContent,
  DeliveryContext,
  DeliveryHandle,
  DeliveryResult,
  Destination,
} from '../../domain/delivery.ts';
import { pagerDutyIncidentId } from '../../domain/pagerduty.ts';
import { fingerprint } from '../fingerprint.ts';
import { AT_A_GLANCE, fitOutline } from '../fit-outline.ts';
import type { ApiAnswer, JsonApi } from '../json-api.ts';
import { outlineOf } from '../report-outline.ts';
import { writeOutline } from '../write-outline.ts';
import { createPagerDutyApi, type PagerDutyAccess } from './api.ts';
import { checkPagerDuty } from './check.ts';
import { plainText } from './plain.ts';

/** No limit is documented; longer notes are not read in an incident's side bar. */
const MAX_LENGTH = 4000;
const PAGE = 100;
/** PagerDuty keeps so many an incident. */
const MAX_NOTES = 2000;

const Created = z.looseObject({ note: z.looseObject({ id: z.string() }) });
const Notes = z.looseObject({
  notes: z.array(z.looseObject({ id: z.string(), content: z.string().nullish() })),
  more: z.boolean().nullish(),
});

/**
 * A note on the PagerDuty incident that the alert came from. Notes cannot be edited, so there is no first look, and of the updates only those that
 * came to something else, and notices. There is no idempotency key either: every note ends with its marker, which is looked for before one of unknown outcome is
 * written again.
 */
export function createPagerDutyDestination(access: PagerDutyAccess): Destination {
  const api = createPagerDutyApi(access);
  return {
    name: 'pagerduty',
    tells: ['report', 'update'],
    accepts: (incident) => pagerDutyIncidentId(incident) !== undefined,
    deliver: (content, context) => deliver(api, content, context),
    check: (signal) => checkPagerDuty(api, access.from, signal),
  };
}

async function deliver(api: JsonApi, content: DeliveryContent, context: DeliveryContext): Promise<DeliveryResult> {
  const { marker, handle, mayHavePosted, signal } = context;
  const incidentId = pagerDutyIncidentId(content.incident);
  if (incidentId === undefined) return { outcome: 'give-up', reason: 'the incident did not come from PagerDuty' };
  if (content.kind === 'update' && handle !== undefined && !isNews(content, handle)) return { outcome: 'ok', handle };
  const path = `/incidents/${incidentId}/notes`;
  if (mayHavePosted) {
    const found = await findNote(api, path, marker, signal);
    if (!found.ok) return found.failure;
    if (found.body !== undefined) return { outcome: 'ok', handle: handleOf(content, found.body) };
  }
  const note = { content: writeNote(content, context) };
  const posted = await api.post(path, { note }, Created, signal);
  return posted.ok ? { outcome: 'ok', handle: handleOf(content, posted.body.note.id) } : posted.failure;
}

/** That somebody took the incident on PagerDuty shows itself. */
function isNews(content: Extract<DeliveryContent, { kind: 'update' }>, handle: DeliveryHandle): boolean {
  return content.isNotice === true || handle['verdict'] !== verdictOf(content);
}

/** What a later look found against an agent's verdict stands beside it, as a change. */
function verdictOf({ report }: DeliveryContent): string {
  const found = report.revision?.changes.map(({ statement }) => statement) ?? [];
  return fingerprint([report.status, report.root_cause_service, report.root_cause_type, ...found]);
}

function handleOf(content: DeliveryContent, note: string): DeliveryHandle {
  return { note, verdict: verdictOf(content), toldAt: content.report.generatedAt };
}

function writeNote(content: DeliveryContent, { marker, handle }: DeliveryContext): string {
  const end = `\n\nRootnote ${marker}`;
  const fits = (text: string) => text.length <= MAX_LENGTH - end.length;
  const write = (outline: Parameters<typeof writeOutline>[0]) => writeOutline(outline, plainText);
  return `${fitOutline(outlineOf(content, handle?.['toldAt']), write, fits, AT_A_GLANCE)}${end}`;
}

/** Id of the note that ends with the marker. Quotations of it in notes of people do not count. */
async function findNote(
  api: JsonApi,
  path: string,
  marker: string,
  signal: AbortSignal,
): Promise<ApiAnswer<string | undefined>> {
  for (let offset = 0; offset < MAX_NOTES;) {
    const answer = await api.get(`${path}?limit=${PAGE}&offset=${offset}`, Notes, signal);
    if (!answer.ok) return answer;
    const { notes, more } = answer.body;
    const note = notes.find(({ content }) => content?.trimEnd().endsWith(marker));
    if (note !== undefined || !more || notes.length === 0) return { ...answer, body: note?.id };
    offset += notes.length;
  }
  return { ok: false, failure: { outcome: 'give-up', reason: 'the incident has more notes than PagerDuty keeps' } };
}

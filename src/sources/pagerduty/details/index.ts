import type { Incident } from '../../../domain/incident.ts';
import { pagerDutyIncidentId, PAGERDUTY_SOURCE } from '../../../domain/pagerduty.ts';
import type { Gap } from '../../../domain/telemetry.ts';
import { AlertPage, LogEntryPage, type PagerDutyAlert } from './answers.ts';
import { ask, type Asked, type PagerDutyAccess } from './ask.ts';
import { describeAlert, type Described } from './describe-alert.ts';
import { mergeDetails } from './merge.ts';
import { abortAfter } from '../../../domain/deadline.ts';

export interface PagerDutyDetails {
  /** The incident with what PagerDuty knows of its alerts, and what could not be read. Never rejects; other incidents come back as they are. */
  complete(
    incident: Incident,
    signal: AbortSignal,
  ): Promise<{ readonly incident: Incident; readonly gaps: readonly Gap[] }>;
}

export interface PagerDutyDetailsOptions {
  readonly apiUrl: string;
  /** Absent: nothing is asked, and that is a gap. */
  readonly token: string | undefined;
  /** Sees all that is added before anything else does. */
  readonly redact: (text: string) => string;
  /** Of all questions together: an investigation does not wait longer for its first clue. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 8000;
/** Details of one alert may be half a megabyte: few a page, so that a page fits. */
const PAGE = 25;
const MAX_PAGES = 4;

const FROM_TITLE = 'the investigation starts from title and service alone';

/** Reads what the webhook does not carry: the alerts behind an incident, and the event that it was made of. */
export function createPagerDutyDetails(options: PagerDutyDetailsOptions): PagerDutyDetails {
  const { apiUrl, token, redact, timeoutMs = TIMEOUT_MS } = options;
  return {
    complete: async (incident, signal) => {
      const id = pagerDutyIncidentId(incident);
      if (id === undefined) return { incident, gaps: [] };
      if (token === undefined) return { incident, gaps: [gap(`PAGERDUTY_API_TOKEN is not set: ${FROM_TITLE}`)] };
      const deadline = abortAfter(signal, timeoutMs);
      const access = { apiUrl, token };
      const [alerts, trigger] = await Promise.all([
        readAlerts(id, access, deadline),
        readTrigger(id, access, deadline),
      ]);
      const described = 'value' in alerts ? alerts.value.alerts.flatMap(describeAlert) : [];
      const known = described.length > 0 ? described : 'value' in trigger ? trigger.value : [];
      return { incident: mergeDetails(incident, known, redact), gaps: gapsOf(alerts, trigger, known) };
    },
  };
}

interface Alerts {
  readonly alerts: readonly PagerDutyAlert[];
  /** Why there may be more. */
  readonly rest: string | undefined;
}

/** A page may hold less than what was asked for: the next begins where it ended. */
async function readAlerts(id: string, access: PagerDutyAccess, signal: AbortSignal): Promise<Asked<Alerts>> {
  const alerts: PagerDutyAlert[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const path = `/incidents/${id}/alerts?limit=${PAGE}&offset=${alerts.length}`;
    const asked = await ask(path, AlertPage, access, signal);
    if ('problem' in asked) return page === 1 ? asked : { value: { alerts, rest: asked.problem } };
    alerts.push(...asked.value.alerts);
    if (asked.value.more !== true) return { value: { alerts, rest: undefined } };
  }
  return { value: { alerts, rest: `only ${alerts.length} are read` } };
}

/** What the incident was made of: of incidents without alerts, for example those that people open, the only description. */
async function readTrigger(
  id: string,
  access: PagerDutyAccess,
  signal: AbortSignal,
): Promise<Asked<readonly Described[]>> {
  // Newest first; the overview leaves out what would push the trigger off the page.
  const path = `/incidents/${id}/log_entries?is_overview=true&limit=100&include%5B%5D=channels`;
  const asked = await ask(path, LogEntryPage, access, signal);
  if ('problem' in asked) return asked;
  const channel = asked.value.log_entries.find(({ type }) => type?.startsWith('trigger_log_entry'))?.channel;
  if (!channel) return { value: [] };
  const { summary, description, details, cef_details, body } = channel;
  return {
    value: describeAlert({
      summary: description || summary,
      severity: cef_details?.severity,
      status: undefined,
      created_at: undefined,
      body: { details: details ?? body, cef_details },
    }),
  };
}

/** A trigger that cannot be read matters only where the alerts say nothing. */
function gapsOf(alerts: Asked<Alerts>, trigger: Asked<unknown>, known: readonly Described[]): readonly Gap[] {
  const rest = 'value' in alerts && alerts.value.rest ? [gap(`not all alerts: ${alerts.value.rest}`)] : [];
  const consequence = known.length === 0 ? `: ${FROM_TITLE}` : '';
  if ('problem' in alerts)
    return [gap(`the alerts of the incident could not be read (${alerts.problem})${consequence}`)];
  if ('problem' in trigger && known.length === 0)
    return [...rest, gap(`the log of the incident could not be read (${trigger.problem})${consequence}`)];
  return rest;
}

function gap(message: string): Gap {
  return { source: PAGERDUTY_SOURCE, message };
}

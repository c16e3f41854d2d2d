import { z } from 'zod';

/**
 * The V3 webhook of PagerDuty (developer.pagerduty.com, "Webhooks Overview"), read permissively: a signed event must never be answered with a
 * 4xx, since three of those in a row switch the subscription off for a day. What cannot be read is undefined.
 */
const Text = z.string().nullish().catch(undefined);
const Reference = z.object({ id: Text, summary: Text }).nullish().catch(undefined);

export const PagerDutyIncident = z.object({
  id: Text,
  html_url: Text,
  number: z.number().nullish().catch(undefined),
  incident_key: Text,
  created_at: Text,
  title: Text,
  urgency: Text,
  service: Reference,
  escalation_policy: Reference,
  teams: z.array(Reference).nullish().catch(undefined),
  priority: Reference,
});
export type PagerDutyIncident = z.infer<typeof PagerDutyIncident>;

export const PagerDutyEvent = z.object({
  event_type: z.string(),
  occurred_at: Text,
  agent: Reference,
  data: PagerDutyIncident.nullish().catch(undefined),
});
export type PagerDutyEvent = z.infer<typeof PagerDutyEvent>;

export const Envelope = z.object({ event: PagerDutyEvent });

import { z } from 'zod';

/** Answers of PagerDuty's REST API v2 ("List alerts for an incident", "List log entries for an incident"), read permissively. */
const Text = z.string().nullish().catch(undefined);
const Details = z.unknown().optional();

const Cef = z
  .object({
    severity: Text,
    source_origin: Text,
    source_component: Text,
    event_class: Text,
    service_group: Text,
    details: Details,
  })
  .nullish()
  .catch(undefined);
const Body = z.object({ details: Details, cef_details: Cef }).nullish().catch(undefined);

export const PagerDutyAlert = z.object({
  id: Text,
  summary: Text,
  severity: Text,
  status: Text,
  created_at: Text,
  body: Body,
});
export type PagerDutyAlert = z.infer<typeof PagerDutyAlert>;

export const AlertPage = z.object({ alerts: z.array(PagerDutyAlert), more: z.boolean().nullish().catch(undefined) });

export const LogEntryPage = z.object({
  log_entries: z.array(
    z.object({
      type: Text,
      channel: z
        .object({ summary: Text, description: Text, details: Details, cef_details: Cef, body: Details })
        .nullish()
        .catch(undefined),
    }),
  ),
});
export type LogEntryPage = z.infer<typeof LogEntryPage>;

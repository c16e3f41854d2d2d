import type { DeliveryContent } from '../../domain/delivery.ts';
import type { StormSummary } from '../../domain/storm.ts';
import { stormJson } from '../storm-json.ts';

/**
 * The body of a request, version 1. Fields are added, never renamed or removed; what cannot be read any more by a reader of version 1 would be
 * another version. Equal over all retries: nothing in it depends on the time of the attempt.
 */
export interface WebhookPayload {
  readonly schemaVersion: 1;
  readonly type: 'incident.first_look' | 'report.created' | 'incident.updated' | 'incident.resolved' | 'storm.updated';
  /** Of what is told, ISO 8601. */
  readonly timestamp: string;
  readonly data: object;
}

export function payloadOf(content: DeliveryContent): WebhookPayload {
  const { report } = content;
  const { generatedAt: timestamp } = report;
  switch (content.kind) {
    case 'first-look':
      return { schemaVersion: 1, type: 'incident.first_look', timestamp, data: { report } };
    case 'report':
      return { schemaVersion: 1, type: 'report.created', timestamp, data: { report } };
    case 'update':
      return { schemaVersion: 1, type: 'incident.updated', timestamp, data: { news: content.news, report } };
    case 'resolved': {
      const resolvedAt = iso(content.resolvedAtMs);
      const data = { incident: report.incident, reportId: report.id, resolvedAt };
      return { schemaVersion: 1, type: 'incident.resolved', timestamp: resolvedAt, data };
    }
  }
}

export function stormPayloadOf(storm: StormSummary): WebhookPayload {
  const data = { storm: stormJson(storm) };
  return { schemaVersion: 1, type: 'storm.updated', timestamp: data.storm.updatedAt, data };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

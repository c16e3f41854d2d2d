import { headerOf } from '../authorization.ts';
import { parseJsonBody } from '../json-body.ts';
import { PayloadError, type Reading, type Source } from '../source.ts';
import { Envelope } from './event.ts';
import { readEvent, type EventRules } from './read-event.ts';
import { pagerDutyAuth } from './signature.ts';
import { PAGERDUTY_SOURCE } from '../../domain/pagerduty.ts';

export interface PagerDutySourceOptions extends EventRules {
  /** At least one. */
  readonly secrets: readonly string[];
}

/** PagerDuty's V3 webhook subscriptions. */
export function createPagerDutySource({ secrets, ...rules }: PagerDutySourceOptions): Source {
  return {
    name: PAGERDUTY_SOURCE,
    auth: pagerDutyAuth(secrets),
    read: ({ headers, bytes }): Reading => {
      const envelope = Envelope.safeParse(parseJsonBody(bytes));
      if (!envelope.success) throw new PayloadError('not a PagerDuty V3 webhook: there is no event.event_type');
      const reading = readEvent(envelope.data.event, rules);
      const deliveryId = headerOf(headers, 'x-webhook-id');
      if (reading.kind !== 'notification' || !deliveryId) return reading;
      return { ...reading, notification: { ...reading.notification, deliveryId } };
    },
  };
}

import { parseJsonBody } from '../json-body.ts';
import type { Source, SourceAuth } from '../source.ts';
import { parseNotification } from './parse-notification.ts';

export { parseNotification } from './parse-notification.ts';

/** Alertmanager's webhook_config, and whatever speaks its format. */
export function createAlertmanagerSource(auth: SourceAuth): Source {
  return {
    name: 'alertmanager',
    auth,
    read: ({ bytes }) => ({ kind: 'notification', notification: parseNotification(parseJsonBody(bytes)) }),
  };
}

import type { Source } from '../source.ts';
import { parseNotification } from './parse-notification.ts';

export const alertmanager: Source = { name: 'alertmanager', parse: parseNotification };

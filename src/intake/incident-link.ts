import type { Notification } from '../domain/alert.ts';

const MAX_LENGTH = 2000;

/** Where a person can look at the alert: the sender's page, else the rule's. Only http(s), without credentials: links are shown in chats and tickets. */
export function incidentLink(notification: Notification): string | undefined {
  const link = [notification.externalUrl, notification.alerts[0]?.generatorUrl].find(isWebLink);
  return link?.includes('@') ? withoutCredentials(link) : link;
}

function withoutCredentials(link: string): string {
  const url = new URL(link);
  url.username = '';
  url.password = '';
  return url.href;
}

function isWebLink(link: string | undefined): boolean {
  return link !== undefined && link.length <= MAX_LENGTH && /^\s*https?:/i.test(link) && URL.canParse(link);
}

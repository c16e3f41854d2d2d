import { createHash } from 'node:crypto';
import type { ContentName } from '../../domain/delivery.ts';

/** What is told of one subject at one destination, in order. */
export interface ChainKey {
  /** Id of an incident or of a storm. */
  readonly subjectId: string;
  readonly destination: string;
}

/** One thing to be told to one destination. */
export interface DeliveryKey extends ChainKey {
  readonly content: ContentName;
}

/** After a last change a chain is forgotten. As long as reports are kept. */
export const KEEP_SECONDS = 90 * 86_400;

export const chainKey = (prefix: string, { subjectId, destination }: ChainKey): string =>
  `${prefix}:deliveries:${subjectId}:${destination}`;
/** What is not settled yet, `<subject>|<content>` by the time it was scheduled. */
export const backlogKey = (prefix: string, destination: string): string => `${prefix}:undelivered:${destination}`;
/** Subjects of which something was given up at the destination, by time; also those that were told since. */
export const gaveUpKey = (prefix: string, destination: string): string => `${prefix}:gave-up:${destination}`;
/** Names of all destinations that anything was ever scheduled for. */
export const destinationsKey = (prefix: string): string => `${prefix}:delivery-destinations`;
export const addresseesKey = (prefix: string, subjectId: string): string => `${prefix}:addressees:${subjectId}`;
/** Texts of the notices about a subject, the first is notice-1. */
export const noticesKey = (prefix: string, subjectId: string): string => `${prefix}:notices:${subjectId}`;
/** While it stands nobody is told again that this destination fails. */
export const noticedKey = (prefix: string, destination: string): string => `${prefix}:noticed:${destination}`;

/** While it stands the place takes no post. */
export const turnKey = (prefix: string, place: string): string => `${prefix}:turn:${place}`;

/** Job id and marker of a delivery: derived from data, without `:`, never all digits. */
export function deliveryId({ subjectId, content, destination }: DeliveryKey): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([subjectId, content, destination]))
    .digest('hex');
  return `rn-${hash.slice(0, 24)}`;
}

const AFTER_ALL_UPDATES = 1_000_000_000;

/** Place of a content in its chain; undefined for a notice, which comes after what is in the chain when it is scheduled. */
export function rankOf(name: ContentName): number | undefined {
  if (name === 'first-look') return 1;
  if (name === 'report') return 2;
  if (name === 'resolved') return AFTER_ALL_UPDATES;
  const number = Number(name.slice(name.lastIndexOf('-') + 1));
  if (name.startsWith('notice-')) return undefined;
  return name.startsWith('update-') ? 2 + number : number;
}

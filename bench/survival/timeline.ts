import type { LogRecord } from '../../src/domain/telemetry.ts';

export const TRIGGER_MS = Date.UTC(2026, 4, 6, 10, 0, 0);
export const SERVICES = [
  'gateway',
  'catalog',
  'basket',
  'checkout',
  'ledger',
  'mailer',
  'search',
  'rates',
  'stock',
  'audit',
];

/** From and to, in seconds from the trigger. */
export type Stretch = readonly [from: number, to: number];
export const RECORDED: Stretch = [-3600, 180];
/** The trouble begins two minutes before the alert, so that a part of the incident window is still quiet. */
export const TROUBLE: Stretch = [-120, 180];
export const QUIET: Stretch = [-3600, -120];

export const lengthOf = ([from, to]: Stretch): number => to - from;

/** A record so many seconds from the trigger. */
export function logLine(seconds: number, service: string, level: string, message: string): LogRecord {
  return { timeMs: TRIGGER_MS + seconds * 1000, service, level, message };
}

/** One thing every so many seconds. */
export function every<T>(seconds: number, stretch: Stretch, make: (at: number, index: number) => T): T[] {
  return Array.from({ length: Math.floor(lengthOf(stretch) / seconds) }, (_, i) => make(stretch[0] + i * seconds, i));
}

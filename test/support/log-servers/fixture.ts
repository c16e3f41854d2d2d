import type { WrittenLine } from './written-lines.ts';

/** What every server of logs is loaded with, and asked for in the same words. Times of one part are far from those of the others. */

const ns = (ms: number, more = 0) => BigInt(ms) * 1_000_000n + BigInt(more);

/** Some lines of two services, one a second, with everything that is hard to quote. */
export const SMALL_MS = Date.parse('2026-01-01T10:00:00Z');
export const HARD_TEXTS = [
  'plain text of a line',
  'he said "quoted words" twice',
  String.raw`cannot open C:\dir\file.txt`,
  'pattern a.*b(c)[d]{e}|f^g$h+i? is no pattern',
  'ÜBER die Brücke, 東京 und 🔥',
  '{"msg":"nested \\"json\\"","trace_id":"0af7651916cd43dd8448eb211c80319c"}',
  "a `backtick` and a 'quote' and 100% of _it_ $HOME",
  'tab\there and <b>markup</b>',
] as const;
export const EVIL_SERVICE = 'evil"} or {service=~".+';

export const SMALL: readonly WrittenLine[] = [
  ...HARD_TEXTS.map((message, place): WrittenLine => ({
    timeNs: ns(SMALL_MS + place * 1000),
    service: 'checkout',
    namespace: 'shop',
    level: 'info',
    message,
  })),
  {
    timeNs: ns(SMALL_MS + 20_000),
    service: 'payments',
    namespace: 'shop',
    level: 'error',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    message: 'connection pool exhausted',
  },
  {
    timeNs: ns(SMALL_MS + 21_000),
    service: 'payments',
    namespace: 'shop',
    level: 'warn',
    message: 'pool is nearly full',
  },
  {
    timeNs: ns(SMALL_MS + 22_000),
    service: EVIL_SERVICE,
    namespace: 'shop',
    level: 'info',
    message: 'a service with a name',
  },
];

/** Many services, and one whose name holds that of others. */
export const MANY_MS = Date.parse('2026-01-02T10:00:00Z');
export const MANY: readonly WrittenLine[] = [
  ...Array.from({ length: 16 }, (_, place) => `s${place}`),
  'xs1',
  's1x',
].map((service, place) => ({
  timeNs: ns(MANY_MS + place, 5),
  service,
  namespace: 'many',
  level: 'info',
  message: `of ${service}`,
}));

/** More than one page in a few seconds, forty lines of each time. */
export const TIED_MS = Date.parse('2026-01-03T10:00:00Z');
export const TIED: readonly WrittenLine[] = Array.from({ length: 6_000 }, (_, place) => ({
  timeNs: ns(TIED_MS + Math.floor(place / 40) * 10),
  service: place % 2 === 0 ? 'left' : 'right',
  namespace: 'tied',
  level: 'info',
  message: `line ${place} of the tied`,
}));

/** Far more than the cap: one service that talks all the time, one that tells of errors now and then, and one line a minute of a third. */
export const LARGE_MS = Date.parse('2026-01-05T10:00:00Z');
export const LARGE_MINUTES = 60;
export const LARGE: readonly WrittenLine[] = Array.from({ length: 50_000 }, (_, place): WrittenLine => {
  const timeNs = ns(LARGE_MS + Math.floor((place * LARGE_MINUTES * 60_000) / 50_000));
  const common = { timeNs, namespace: 'large' };
  if (place % 250 === 7)
    return {
      ...common,
      service: 'database',
      level: 'error',
      message: `transaction ${place} failed: deadlock`,
    };
  if (place % 833 === 5) return { ...common, service: 'scheduler', level: 'info', message: `tick ${place}` };
  return { ...common, service: 'gateway', level: 'info', message: `GET /items/${place} 200` };
}).sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0));

export const ALL_LINES: readonly WrittenLine[] = [...SMALL, ...MANY, ...TIED, ...LARGE];

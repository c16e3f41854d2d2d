import type { EvidenceKind } from '../../domain/evidence.ts';
import type { Report } from '../../domain/report.ts';

/** One piece of evidence in its lane; `row` keeps neighbours in time apart, 0 is the middle. */
export interface Point {
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly atMs: number;
  readonly row: number;
  /** Further away in time than the picture shows; it stands at the edge. */
  readonly isBeyond: boolean;
}

export interface Lane {
  /** A service; undefined for evidence that nobody's name goes with. */
  readonly service: string | undefined;
  readonly points: readonly Point[];
  readonly rows: number;
}

/** From the cause to its effect, by the ids of two points. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
}

export interface Layout {
  readonly fromMs: number;
  readonly toMs: number;
  readonly alertAtMs: number;
  /** Cause first, symptom last. */
  readonly lanes: readonly Lane[];
  readonly arrows: readonly Arrow[];
  /** Evidence with a time that found no place. */
  readonly omitted: number;
}

const MAX_LANES = 7;
const MAX_POINTS = 40;
const MAX_ROWS = 4;
/** Points closer than this part of the window stand in different rows. */
const NEIGHBOURS = 0.035;
const SHORTEST_MS = 60_000;
const MARGIN = 0.06;

type Item = Report['evidence'][number];

/** Where everything stands, in time and lanes. Bounded, whatever the report holds. */
export function layOut(report: Report): Layout {
  const alertAtMs = Date.parse(report.incident.startsAt);
  const timed = report.evidence.filter((item) => item.at !== null);
  const shown = timed.slice(0, MAX_POINTS);
  const { fromMs, toMs } = windowOf(shown.map(timeOf), alertAtMs);
  const byService = laneNames(report, shown);
  const lanes = byService.map(({ service, items }) => lane(service, items, fromMs, toMs));
  const placed = new Set(lanes.flatMap(({ points }) => points.map(({ id }) => id)));
  const arrows = arrowsOf(report, shown).filter(({ from, to }) => placed.has(from) && placed.has(to));
  return { fromMs, toMs, alertAtMs, lanes, arrows, omitted: timed.length - placed.size };
}

const timeOf = (item: Item): number => Date.parse(item.at ?? '');

/** Of the points that are near the alert, as most of them see it: one change of last week would press all others into a line. */
function windowOf(times: readonly number[], alertAtMs: number): { readonly fromMs: number; readonly toMs: number } {
  const distances = times.map((time) => Math.abs(time - alertAtMs)).sort((a, b) => a - b);
  const median = distances[Math.floor(distances.length / 2)] ?? 0;
  const farthest = Math.max(SHORTEST_MS, 6 * median);
  const near = [alertAtMs, ...times.filter((time) => Math.abs(time - alertAtMs) <= farthest)];
  const first = Math.min(...near, alertAtMs - SHORTEST_MS / 4);
  const last = Math.max(...near, alertAtMs + SHORTEST_MS / 4);
  const margin = (last - first) * MARGIN;
  return { fromMs: first - margin, toMs: last + margin };
}

/** Evidence by service: as the causal chain cites it, else by the first service that its statement names. */
function laneNames(
  { causal_chain: chain, alternatives, root_cause_service: cause, incident }: Report,
  items: readonly Item[],
): readonly { readonly service: string | undefined; readonly items: readonly Item[] }[] {
  const services = unique([
    ...(cause === null ? [] : [cause]),
    ...chain.map(({ service }) => service),
    ...(incident.service === null ? [] : [incident.service]),
    ...alternatives.map(({ service }) => service),
  ]);
  const serviceOf = (item: Item) =>
    chain.find(({ evidence }) => evidence.includes(item.id))?.service ?? firstNamed(item.statement, services);
  const groups = services.map((service) => ({ service, items: items.filter((item) => serviceOf(item) === service) }));
  const told = groups.filter((group) => group.items.length > 0).slice(0, MAX_LANES);
  const left = items.filter((item) => !told.some((group) => group.items.includes(item)));
  return left.length > 0 ? [...told, { service: undefined, items: left }] : told;
}

function firstNamed(statement: string, services: readonly string[]): string | undefined {
  const found = services
    .map((service) => ({ service, place: statement.indexOf(service) }))
    .filter(({ place }) => place >= 0)
    // `orders-db` before `orders`, where both begin.
    .sort((a, b) => a.place - b.place || b.service.length - a.service.length);
  return found[0]?.service;
}

function lane(service: string | undefined, items: readonly Item[], fromMs: number, toMs: number): Lane {
  const gap = (toMs - fromMs) * NEIGHBOURS;
  const lastInRow: number[] = [];
  const points: Point[] = [];
  for (const item of items.toSorted((a, b) => timeOf(a) - timeOf(b))) {
    const time = timeOf(item);
    const atMs = Math.min(Math.max(time, fromMs), toMs);
    const free = lastInRow.findIndex((last) => atMs - last >= gap);
    const row = free < 0 ? lastInRow.length : free;
    if (row >= MAX_ROWS) continue;
    lastInRow[row] = atMs;
    points.push({ id: item.id, kind: item.kind, atMs, row, isBeyond: atMs !== time });
  }
  return { service, points, rows: Math.max(lastInRow.length, 1) };
}

/** From the first evidence of each step to that of the next one; steps without any are passed over. */
function arrowsOf({ causal_chain: chain }: Report, items: readonly Item[]): readonly Arrow[] {
  const ends = chain
    .map(({ evidence }) => items.find((item) => evidence.includes(item.id))?.id)
    .filter((id) => id !== undefined);
  return ends.slice(1).flatMap((to, index) => {
    const from = ends[index];
    return from === undefined || from === to ? [] : [{ from, to }];
  });
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

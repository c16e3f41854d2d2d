import type { EvidenceKind } from '../../domain/evidence.ts';
import type { Layout, Point } from './layout.ts';
import { data, tag, text } from './svg.ts';

/** Between these the time runs. */
export const LEFT = 190;
export const RIGHT = 1170;

export const COLOURS: Record<EvidenceKind, string> = {
  metric: '#1264a3',
  log: '#b45309',
  event: '#0f766e',
  state: '#4d7c0f',
  change: '#7a2e9d',
  trace: '#0369a1',
  tool: '#57534e',
};

/** A point where it is drawn. */
export interface Placed extends Point {
  readonly x: number;
  readonly y: number;
}

/** Bent, so that arrows between the same lanes do not lie on each other. */
export function arrows({ arrows: pairs }: Layout, placed: readonly Placed[]): readonly string[] {
  const at = new Map(placed.map((point) => [point.id, point]));
  return pairs.flatMap(({ from, to }) => {
    const start = at.get(from);
    const end = at.get(to);
    if (!start || !end) return [];
    const length = Math.hypot(end.x - start.x, end.y - start.y) || 1;
    const bend = Math.min(40, length / 4);
    const control = {
      x: (start.x + end.x) / 2 - ((end.y - start.y) / length) * bend,
      y: (start.y + end.y) / 2 + ((end.x - start.x) / length) * bend,
    };
    const tip = towards(end, control, 17);
    const path = `M${xy(towards(start, control, 15))} Q${xy(control)} ${xy(tip)}`;
    const back = towards(tip, control, 12);
    const across = { x: (tip.y - back.y) / 2, y: (back.x - tip.x) / 2 };
    const head = [tip, { x: back.x + across.x, y: back.y + across.y }, { x: back.x - across.x, y: back.y - across.y }];
    return [
      tag('path', { d: path, fill: 'none', stroke: '#3f3f46', 'stroke-width': 2.5 }),
      tag('polygon', { points: head.map(xy).join(' '), fill: '#3f3f46' }),
    ];
  });
}

interface Place {
  readonly x: number;
  readonly y: number;
}
function towards(from: Place, to: Place, distance: number): Place {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) / length) * distance, y: from.y + ((to.y - from.y) / length) * distance };
}
const xy = ({ x, y }: Place): string => `${x.toFixed(1)},${y.toFixed(1)}`;

/** A shape a kind, for those to whom colours are alike. */
export function pointOf({ id, kind, x, y, isBeyond }: Placed): readonly string[] {
  const isLeft = x > RIGHT - 60;
  const label = `${data(id, 8)}${isBeyond ? (x < (LEFT + RIGHT) / 2 ? ' ←' : ' →') : ''}`;
  return [
    shape(kind, x, y, COLOURS[kind]),
    text(isLeft ? x - 15 : x + 15, y + 6, label, {
      fill: COLOURS[kind],
      'font-weight': 'bold',
      ...(isLeft ? { 'text-anchor': 'end' } : {}),
      stroke: '#ffffff',
      'stroke-width': 4,
      'paint-order': 'stroke',
    }),
  ];
}

export function shape(kind: EvidenceKind, x: number, y: number, fill: string): string {
  const look = { fill, stroke: '#ffffff', 'stroke-width': 2 };
  const corners = (points: readonly (readonly [number, number])[]) =>
    tag('polygon', {
      points: points.map(([dx, dy]) => `${(x + dx).toFixed(1)},${(y + dy).toFixed(1)}`).join(' '),
      ...look,
    });
  if (kind === 'change')
    return corners([
      [0, -13],
      [13, 0],
      [0, 13],
      [-13, 0],
    ]);
  if (kind === 'event')
    return corners([
      [0, -12],
      [12, 10],
      [-12, 10],
    ]);
  if (kind === 'log') return tag('rect', { x: x - 10, y: y - 10, width: 20, height: 20, ...look });
  if (kind === 'state') return tag('rect', { x: x - 10, y: y - 10, width: 20, height: 20, rx: 6, ...look });
  return tag('circle', { cx: x, cy: y, r: 10, ...look });
}

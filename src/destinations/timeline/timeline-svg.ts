import { relativeTime } from '../../domain/relative-time.ts';
import type { Report } from '../../domain/report.ts';
import { textOf } from '../outline.ts';
import { verdictOf } from '../report-head.ts';
import { layOut, type Lane, type Layout } from './layout.ts';
import { arrows, COLOURS, LEFT, pointOf, RIGHT, shape, type Placed } from './marks.ts';
import { data, tag, text } from './svg.ts';

const WIDTH = 1200;
const TOP = 130;
const ROW = 44;
const LANE_PADDING = 14;
const LEGEND_ROW = 28;
const MAX_LEGEND = 8;

const INK = '#1d1c1d';
const FAINT = '#616061';
const LINE = '#dddddd';
const ALERT = '#c01c3c';
/**
 * The report's evidence in time, as SVG: a lane a service, cause on top; the alert as a vertical line, changes marked from top to bottom, the causal
 * chain as arrows, the most important evidence in words below. Pure: the same report gives the same picture. All text in it is escaped.
 */
export function timelineSvg(report: Report): string {
  const layout = layOut(report);
  const heights = layout.lanes.map((lane) => lane.rows * ROW + LANE_PADDING);
  const bottom = TOP + Math.max(sum(heights), ROW);
  const xOf = (atMs: number) => LEFT + ((atMs - layout.fromMs) / (layout.toMs - layout.fromMs)) * (RIGHT - LEFT);
  const placed = layout.lanes.flatMap((lane, index) => {
    const top = TOP + sum(heights.slice(0, index));
    return lane.points.map((point): Placed => ({
      ...point,
      x: xOf(point.atMs),
      y: top + LANE_PADDING + (point.row + 0.5) * ROW,
    }));
  });
  const legend = legendOf(report, bottom + 70);
  const height = bottom + 70 + legend.length * LEGEND_ROW;
  return page(height, [
    ...titleOf(report),
    ...(layout.omitted > 0 ? [omission(layout.omitted)] : []),
    ...layout.lanes.flatMap((lane, index) =>
      laneOf(lane, TOP + sum(heights.slice(0, index)), heights[index] ?? ROW, index),
    ),
    ...axis(layout, xOf, bottom),
    ...placed.filter(({ kind }) => kind === 'change').map(({ x }) => changeLine(x, bottom)),
    alertLine(xOf(layout.alertAtMs), bottom, layout),
    ...arrows(layout, placed),
    ...placed.flatMap(pointOf),
    ...legend,
  ]);
}

function page(height: number, content: readonly string[]): string {
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    width: WIDTH,
    height,
    viewBox: `0 0 ${WIDTH} ${height}`,
    'font-family': 'DejaVu Sans',
    'font-size': 17,
    fill: INK,
  };
  return tag('svg', attributes, [tag('rect', { width: WIDTH, height, fill: '#ffffff' }), ...content].join(''));
}

function titleOf(report: Report): readonly string[] {
  return [
    text(24, 42, data(report.incident.title, 70), { 'font-size': 25, 'font-weight': 'bold' }),
    text(24, 74, data(textOf(verdictOf(report)), 105), { 'font-size': 18 }),
  ];
}

function omission(count: number): string {
  return text(RIGHT, 74, `${count} more not drawn`, { fill: FAINT, 'font-size': 15, 'text-anchor': 'end' });
}

function laneOf(lane: Lane, top: number, height: number, index: number): readonly string[] {
  return [
    tag('rect', { x: 0, y: top, width: WIDTH, height, fill: index % 2 === 0 ? '#f5f7fa' : '#ffffff' }),
    lane.service === undefined
      ? text(24, top + height / 2 + 6, 'other evidence', { fill: FAINT, 'font-style': 'italic' })
      : text(24, top + height / 2 + 6, data(lane.service, 15), { 'font-weight': 'bold' }),
  ];
}

/** Times against the alert: what the reader counts from. */
function axis({ fromMs, toMs, alertAtMs }: Layout, xOf: (atMs: number) => number, bottom: number): readonly string[] {
  const step =
    STEPS_MS.find((ms) => (toMs - fromMs) / ms <= 9) ?? Math.ceil((toMs - fromMs) / 8 / 86_400_000) * 86_400_000;
  const first = Math.ceil((fromMs - alertAtMs) / step);
  const last = Math.floor((toMs - alertAtMs) / step);
  const ticks = Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => (first + index) * step);
  return [
    tag('line', { x1: LEFT, y1: bottom, x2: RIGHT, y2: bottom, stroke: FAINT }),
    ...ticks.flatMap((offset) => {
      const x = xOf(alertAtMs + offset);
      const label = offset === 0 ? '0' : `${offset < 0 ? '−' : '+'}${inUnitsOf(step, Math.abs(offset))}`;
      return [
        tag('line', { x1: x, y1: TOP, x2: x, y2: bottom + 6, stroke: LINE }),
        text(x, bottom + 28, label, { fill: FAINT, 'font-size': 15, 'text-anchor': 'middle' }),
      ];
    }),
  ];
}

const STEPS_MS = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400].map((s) => s * 1000);

function alertLine(x: number, bottom: number, { alertAtMs }: Layout): string {
  const at = `alert ${new Date(alertAtMs).toISOString().slice(11, 19)} UTC`;
  const anchor = x > RIGHT - 120 ? 'end' : x < LEFT + 100 ? 'start' : 'middle';
  return [
    tag('line', { x1: x, y1: TOP - 12, x2: x, y2: bottom, stroke: ALERT, 'stroke-width': 3 }),
    text(x, TOP - 20, at, { fill: ALERT, 'font-weight': 'bold', 'font-size': 16, 'text-anchor': anchor }),
  ].join('');
}

function changeLine(x: number, bottom: number): string {
  return tag('line', {
    x1: x,
    y1: TOP,
    x2: x,
    y2: bottom,
    stroke: COLOURS.change,
    'stroke-width': 2,
    'stroke-dasharray': '7 5',
  });
}

/** Exact, and the same unit on all ticks: these are what the reader compares. */
function inUnitsOf(stepMs: number, ms: number): string {
  const [unitMs, unit] = UNITS.find(([unitMs]) => stepMs % unitMs === 0) ?? [1000, 's'];
  return `${Math.round(ms / unitMs)} ${unit}`;
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

/** The most important evidence in words, in the order of the report: what the ids in the picture mean. One text a row. */
function legendOf(report: Report, top: number): readonly string[] {
  const alertAtMs = Date.parse(report.incident.startsAt);
  const { evidence } = report;
  const shown = evidence.slice(0, MAX_LEGEND);
  const rows = shown.map(({ id, kind, statement, at }, index) => {
    const y = top + index * LEGEND_ROW;
    const when = at === null ? '' : relativeTime(Date.parse(at), alertAtMs).replace(/(before|after) the alert$/, '$1');
    return [
      shape(kind, 38, y - 6, COLOURS[kind]),
      text(58, y, data(id, 8), { fill: COLOURS[kind], 'font-weight': 'bold', 'font-size': 16 }),
      text(130, y, data(when, 18), { fill: FAINT, 'font-size': 15 }),
      text(270, y, data(statement, 98), { 'font-size': 16 }),
    ].join('');
  });
  if (evidence.length === 0) return [text(24, top, 'The report cites no evidence.', { fill: FAINT })];
  const left = evidence.length - shown.length;
  const y = top + shown.length * LEGEND_ROW;
  return left === 0 ? rows : [...rows, text(270, y, `+ ${left} more in the report`, { fill: FAINT, 'font-size': 15 })];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

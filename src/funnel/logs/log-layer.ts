import { relativeTime } from '../../domain/relative-time.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { Layer, LayerItem } from '../layers.ts';
import { buildErrorTaxonomy, errorBucket, type ErrorKind } from './error-taxonomy.ts';
import {
  measureLogs,
  type LogChange,
  type LogLayerInput,
  type LogMeasures,
  type TemplateMeasure,
} from './log-measures.ts';

/** Templates shown (SPEC C3); more only when all beyond are telling errors, and never more than the second number. */
const MAX_ITEMS = 5;
const MAX_ITEMS_WITH_ERRORS = 15;
const MAX_TEMPLATE_TEXT = 200;
const MAX_SERVICES = 4;

/** How telling a change is, for errors and for other lines: what began or grew with the incident before what is always there. */
const TELLING: Readonly<Record<LogChange, { readonly error: number; readonly other: number }>> = {
  new: { error: 0.9, other: 0.55 },
  burst: { error: 0.8, other: 0.5 },
  uncompared: { error: 0.7, other: 0.15 },
  vanished: { error: 0.1, other: 0.6 },
  steady: { error: 0.3, other: 0.05 },
};
/** Volume decides only between templates that are equally telling. */
const VOLUME_SHARE = 0.09;

/**
 * Distils logs into at most five templates, best first, and counts everything else in the notes (SPEC C3). Error
 * templates that are new or more frequent are kept beyond five, however rare; the notes then say so.
 */
export function readLogs(input: LogLayerInput): Layer {
  const measures = measureLogs(input);
  if (measures.linesInWindow + measures.linesOutside + measures.foldedLines === 0) return { items: [], notes: [] };
  const ranked = measures.templates
    .filter((measure) => measure.count > 0 || measure.change === 'vanished')
    .toSorted((a, b) => weightOf(b) - weightOf(a) || a.template.number - b.template.number);
  const shown = ranked.filter(
    (measure, rank) => rank < MAX_ITEMS || (rank < MAX_ITEMS_WITH_ERRORS && isTellingError(measure)),
  );
  return {
    items: shown.map((measure) => itemOf(measure, measures.triggerMs)),
    notes: notesOf(ranked, shown, measures),
  };
}

/**
 * The item of one template, wherever it is cited: the same template gives the same key and statement. Throws for a number
 * that is not in `measures`.
 */
export function templateItem(number: number, measures: LogMeasures): LayerItem {
  const measure = measures.templates[number];
  if (!measure) throw new Error(`There is no log template ${number}; there are ${measures.templates.length}.`);
  return itemOf(measure, measures.triggerMs);
}

function isTellingError({ template, change, count }: TemplateMeasure): boolean {
  return template.isError && count > 0 && change !== 'steady';
}

function weightOf({ template, change, count, expected }: TemplateMeasure): number {
  const tier = TELLING[change][template.isError ? 'error' : 'other'];
  const lines = Math.max(count, expected ?? 0);
  return tier + VOLUME_SHARE * Math.min(1, Math.log10(1 + lines) / 6);
}

function itemOf(measure: TemplateMeasure, triggerMs: number): LayerItem {
  const { template, count, expected, firstMs, services } = measure;
  return {
    key: `log:${template.number}`,
    weight: weightOf(measure),
    evidence: {
      kind: 'log',
      service: services[0]?.[0],
      statement: statementOf(measure, triggerMs),
      atMs: Number.isNaN(firstMs) ? undefined : firstMs,
      numbers: expected === undefined ? [count] : [count, Math.round(expected)],
    },
  };
}

function statementOf(measure: TemplateMeasure, triggerMs: number): string {
  const { template, firstMs, lastMs, services } = measure;
  const names = services
    .slice(0, MAX_SERVICES)
    .map(([service, count]) => (services.length > 1 ? `${service} ${count}` : service));
  if (services.length > MAX_SERVICES) names.push(`${services.length - MAX_SERVICES} more services`);
  const times = Number.isNaN(firstMs)
    ? 'no usable time'
    : `first ${relativeTime(firstMs, triggerMs)}, last ${relativeTime(lastMs, triggerMs)}`;
  const text = clip(oneLine(template.text), MAX_TEMPLATE_TEXT);
  const kind = errorBucket(`${template.text} ${template.sample}`);
  const parts = [
    `${headline(measure)} "${text}"`,
    `${countInWords(measure)} in ${names.join(', ') || 'no named service'}`,
    ...(measure.count > 0 ? [times] : []),
    ...(template.isError && kind !== 'Unknown' ? [`kind ${kind}`] : []),
    ...(template.sample === text ? [] : [`sample: ${template.sample}`]),
  ];
  return parts.join('; ');
}

const HEADLINE: Readonly<Record<LogChange, string>> = {
  new: 'New',
  burst: 'More of the',
  vanished: 'No more of the',
  steady: 'Usual',
  uncompared: 'Seen:',
};

function headline({ template, change }: TemplateMeasure): string {
  const subject = template.isError ? 'error' : template.level === 'warn' ? 'warning' : 'log line';
  return `${HEADLINE[change]} ${subject}`;
}

function countInWords({ count, expected, change }: TemplateMeasure): string {
  const lines = linesInWords(count);
  if (expected === undefined) return `${lines}, no fault-free time to compare with,`;
  if (change === 'new') return `${lines} where none is usual`;
  const usual = expected < 10 ? Math.round(expected * 10) / 10 : Math.round(expected);
  return `${lines} where ${usual.toLocaleString('en')} are usual`;
}

function linesInWords(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'}`;
}

const templatesInWords = (count: number): string => (count === 1 ? 'template' : 'templates');

function notesOf(
  ranked: readonly TemplateMeasure[],
  shown: readonly TemplateMeasure[],
  measures: LogMeasures,
): string[] {
  const rest = ranked.filter((measure) => !shown.includes(measure) && measure.count > 0);
  const lines = sumOf(rest);
  const errors = rest.filter(({ template }) => template.isError);
  const notes: string[] = [];
  if (shown.length > MAX_ITEMS) {
    notes.push(
      `${shown.length} log templates instead of ${MAX_ITEMS}: new or growing errors are kept however rare they are.`,
    );
  }
  if (rest.length > 0) {
    const ofErrors =
      errors.length > 0
        ? `, of them ${linesInWords(sumOf(errors))} in ${errors.length} error ${templatesInWords(errors.length)}`
        : '';
    notes.push(`and ${linesInWords(lines)} in ${rest.length} other ${templatesInWords(rest.length)}${ofErrors}`);
  }
  if (measures.foldedLines > 0)
    notes.push(`${linesInWords(measures.foldedLines)} of stack traces folded into the events they belong to`);
  if (measures.linesOutside > 0)
    notes.push(`${linesInWords(measures.linesOutside)} outside the window not counted above`);
  const kinds = errorKinds(ranked);
  if (kinds.length > 0)
    notes.push(`Errors by kind: ${kinds.map((kind) => kindInWords(kind, measures.triggerMs)).join('; ')}`);
  return notes;
}

const sumOf = (measures: readonly TemplateMeasure[]): number => measures.reduce((sum, { count }) => sum + count, 0);

function errorKinds(ranked: readonly TemplateMeasure[]): ErrorKind[] {
  const errors = ranked.filter(({ template, count }) => template.isError && count > 0);
  return buildErrorTaxonomy(
    errors.map(({ template, count, firstMs, lastMs }) => ({
      message: `${template.text} ${template.sample}`,
      count,
      firstMs,
      lastMs,
    })),
  );
}

function kindInWords({ errorType, count, affectedComponents, firstMs, lastMs }: ErrorKind, triggerMs: number): string {
  const components = affectedComponents.filter((name) => !name.includes('<*>')).slice(0, MAX_SERVICES);
  const about = components.length > 0 ? `, about ${clip(oneLine(components.join(', ')), 120)}` : '';
  const times = Number.isNaN(firstMs)
    ? ''
    : `, ${relativeTime(firstMs, triggerMs)} to ${relativeTime(lastMs, triggerMs)}`;
  return `${errorType} ${linesInWords(count)}${about}${times}`;
}

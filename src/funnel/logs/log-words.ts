import { relativeTime } from '../../domain/relative-time.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { numberWord, quantityWord } from '../metrics/number-words.ts';
import { clipMiddle } from './event-sample.ts';
import { errorBucket } from './error-taxonomy.ts';
import { messageStart } from './line-header.ts';
import type { LogChange } from './log-change.ts';
import type { Dimension } from './line-values.ts';
import type { TemplateMeasure } from './log-measures.ts';
import type { ParameterDrift } from './parameter-drift.ts';

const MAX_TEMPLATE_TEXT = 160;
/** So much of a template's first words tells whether a sample shows its message. */
const FIRST_WORDS = 24;
const MAX_SERVICES = 4;

/**
 * What one template does, as one line: `New error "cart <*> timed out"; 3 lines where none is usual in cart; first 90 s before the alert, …`. A
 * single line is quoted as it is, a usual one without a sample.
 */
export function templateInWords(measure: TemplateMeasure, triggerMs: number): string {
  const { template, count, change } = measure;
  const text = clipMiddle(template.text, MAX_TEMPLATE_TEXT);
  const sample = withoutHeader(template.sample);
  const quoted = count === 1 && showsMessage(sample, template.text) ? sample : text;
  const kind = errorBucket(`${template.text} ${template.sample}`);
  const isPlain = change === 'steady' && !template.isError;
  // Of what no longer comes the wording is the news, not the values.
  const isLess = change === 'vanished' || change === 'fewer';
  return [
    `${HEADLINE[change]} ${subjectOf(measure)} "${quoted}"`,
    `${countInWords(measure, triggerMs)} in ${servicesInWords(measure.services)}`,
    ...(isPlain ? [] : timesInWords(measure, triggerMs)),
    ...(template.isError && kind !== 'Unknown' ? [`kind ${kind}`] : []),
    ...(sample === quoted || isPlain || isLess ? [] : [`sample: ${sample}`]),
  ].join('; ');
}

/** Time, level and logger stand elsewhere in the sentence, or say nothing. */
function withoutHeader(line: string): string {
  return line.slice(messageStart(line, line.length)) || line;
}

/** True unless the message lies inside a structure, behind other fields for which the sample was too short. */
function showsMessage(sample: string, template: string): boolean {
  const [words = ''] = template.split('<*>');
  return sample.includes(words.trim().slice(0, FIRST_WORDS));
}

const HEADLINE: Readonly<Record<LogChange, string>> = {
  new: 'New',
  burst: 'More of the',
  fewer: 'Fewer of the',
  vanished: 'No more of the',
  steady: 'Usual',
  uncompared: 'Seen:',
};

function subjectOf({ template }: TemplateMeasure): string {
  if (template.isError) return 'error';
  return template.level === 'warn' ? 'warning' : 'log line';
}

function countInWords(
  { count, expected, expectedSinceLast, change, lastMs }: TemplateMeasure,
  triggerMs: number,
): string {
  const lines = linesInWords(count);
  if (expected === undefined) return `${lines}, no fault-free time to compare with,`;
  if (change === 'new') return `${lines} where none is usual`;
  if (change === 'vanished' && count > 0) {
    return `none since ${relativeTime(lastMs, triggerMs)} where ${aboutInWords(expectedSinceLast)} are usual, ${lines} until then`;
  }
  return `${lines} where ${aboutInWords(expected)} are usual`;
}

const aboutInWords = (expected: number): string =>
  (expected < 10 ? Math.round(expected * 10) / 10 : Math.round(expected)).toLocaleString('en');

function servicesInWords(services: TemplateMeasure['services']): string {
  const names = services
    .slice(0, MAX_SERVICES)
    .map(([service, count]) => (services.length > 1 ? `${service} ${count}` : service));
  if (services.length > MAX_SERVICES) names.push(`${services.length - MAX_SERVICES} more services`);
  return names.join(', ') || 'no named service';
}

function timesInWords({ count, change, firstMs, lastMs }: TemplateMeasure, triggerMs: number): readonly string[] {
  if (count === 0 || change === 'vanished') return [];
  if (Number.isNaN(firstMs)) return ['no usable time'];
  const first = relativeTime(firstMs, triggerMs);
  return [count === 1 ? first : `first ${first}, last ${relativeTime(lastMs, triggerMs)}`];
}

/**
 * The values that moved inside one template: `Log line "took <*>" with other values: after "took" median 40 ms → 2.8 s (n=48/48), 71 % of the lines beyond
 * the usual; in cart; since 118 s before the alert`.
 */
export function driftsInWords(drifts: readonly ParameterDrift[], measure: TemplateMeasure, triggerMs: number): string {
  const services = [...new Set(drifts.map(({ service }) => service))].filter(Boolean).slice(0, MAX_SERVICES);
  const sinceMs = Math.min(...drifts.map((drift) => drift.sinceMs));
  const subject = subjectOf(measure);
  return [
    `${subject[0]?.toUpperCase()}${subject.slice(1)} "${clipMiddle(measure.template.text, MAX_TEMPLATE_TEXT)}" with other values: ${drifts.map(driftInWords).join(', ')}`,
    `in ${services.join(', ') || 'no named service'}`,
    ...(Number.isFinite(sinceMs) ? [`since ${relativeTime(sinceMs, triggerMs)}`] : []),
  ].join('; ');
}

function driftInWords({ name, isField, change, linesBefore, linesNow }: ParameterDrift): string {
  const place = isField ? name : `after "${name}"`;
  const compared = `(n=${linesBefore}/${linesNow})`;
  if (change.kind === 'takeover') {
    return `${place} ${clip(oneLine(change.value), 40)} in ${percentInWords(change.shareNow)} of the lines, usually in ${percentInWords(change.shareBefore)} ${compared}`;
  }
  const { dimension, usual, now, hasMedianMoved, share } = change;
  const values = `${valueInWords(usual, dimension)} → ${valueInWords(now, dimension)}`;
  if (!hasMedianMoved) return `${place} ${values} in ${percentInWords(share)} of the lines ${compared}`;
  return `${place} median ${values} ${compared}, ${percentInWords(share)} of the lines beyond what is usual`;
}

const percentInWords = (share: number): string => `${Math.round(100 * share)} %`;

function valueInWords(value: number, dimension: Dimension): string {
  if (dimension === 'time') return quantityWord(value, 'ms');
  if (dimension === 'size') return quantityWord(value, 'By');
  return dimension === 'percent' ? `${numberWord(value)} %` : numberWord(value);
}

export function linesInWords(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'}`;
}

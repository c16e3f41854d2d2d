import type { Labels } from '../../../domain/labels.ts';
import type { PagerDutyAlert } from './answers.ts';
import { readAlertmanagerText, type WrittenAlert } from './alertmanager-text.ts';

const MAX_DETAILS = 64;
const MAX_LABEL_LENGTH = 200;
/** Looked at for secrets before it is cut: half of one would match no rule. */
const MAX_TEXT_LENGTH = 16_000;
const LABEL_NAME = /^[A-Za-z_][\w./-]{0,99}$/;
/** Written by Alertmanager; `firing` is read, the others say nothing more. */
const FROM_ALERTMANAGER: ReadonlySet<string> = new Set(['firing', 'resolved', 'num_firing', 'num_resolved']);

/** What the details of one PagerDuty alert say of the trouble. All of it is untrusted. */
export type Described = WrittenAlert;

/**
 * Labels and annotations from the details that a monitor sent along: short values under names that can be labels become labels, all else
 * annotations. Where Alertmanager was the monitor, its own alerts come out again, an entry each.
 */
export function describeAlert({ summary, severity, body }: Omit<PagerDutyAlert, 'id'>): readonly Described[] {
  const cef = body?.cef_details;
  const details = body?.details ?? cef?.details;
  const { labels, annotations } = sortDetails(details);
  const written = readAlertmanagerText(firingText(details));
  const known = present({
    component: cef?.source_component,
    source: cef?.source_origin,
    class: cef?.event_class,
    group: cef?.service_group,
    severity: severity || cef?.severity,
  });
  const told = present({ alert_summary: summary });
  const entries: readonly WrittenAlert[] =
    written.length > 0 ? written : [{ labels: {}, annotations: {}, generatorUrl: undefined }];
  return entries.map((entry) => ({
    labels: { ...known, ...labels, ...entry.labels },
    annotations: { ...told, ...annotations, ...entry.annotations },
    generatorUrl: entry.generatorUrl,
  }));
}

function firingText(details: unknown): string {
  const { firing } = recordOf(details);
  return typeof firing === 'string' ? firing : '';
}

function sortDetails(details: unknown): Omit<Described, 'generatorUrl'> {
  if (typeof details === 'string') return { labels: {}, annotations: present({ details: clipText(details) }) };
  const labels: [string, string][] = [];
  const annotations: [string, string][] = [];
  for (const [name, value] of Object.entries(recordOf(details)).slice(0, MAX_DETAILS)) {
    if (FROM_ALERTMANAGER.has(name) || name === '__proto__') continue;
    const text = textOf(value);
    if (text === '') continue;
    const isLabel = LABEL_NAME.test(name) && typeof value !== 'object' && text.length <= MAX_LABEL_LENGTH;
    (isLabel && !text.includes('\n') ? labels : annotations).push([name, text]);
  }
  return { labels: Object.fromEntries(labels), annotations: Object.fromEntries(annotations) };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** What is nested thousands deep can be read, but not written again. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return clipText(value.trim());
  try {
    return clipText(JSON.stringify(value));
  } catch {
    return '';
  }
}

function clipText(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH);
}

function present(values: Readonly<Record<string, string | null | undefined>>): Labels {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

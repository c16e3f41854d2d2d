import { createHash } from 'node:crypto';
import type { Acknowledgement, Alert, AlertStatus } from '../../domain/alert.ts';
import type { Labels } from '../../domain/labels.ts';
import { parseTime } from '../parse-time.ts';
import { PayloadError } from '../source.ts';
import { collectLabels } from './collect-labels.ts';
import { isState, type Field, type Mapping } from './mapping.ts';
import { spend, valuesAt, type Scope } from './paths.ts';
import { readField } from './read-field.ts';

/** What tells one source from another. */
export interface MappingContext {
  readonly source: string;
  readonly now: () => number;
}

export type MappedAlert =
  /** `unknownStatus`: a word that is not in `map`, nor a state. */
  | { readonly kind: 'alert'; readonly alert: Alert; readonly unknownStatus?: string }
  | { readonly kind: 'acknowledged'; readonly acknowledgement: Omit<Acknowledgement, 'source'> }
  | { readonly kind: 'ignored' };

/** Longer keys are hashed: they are stored and compared often. */
const MAX_KEY_LENGTH = 200;
const MAX_LINKS = 20;

/** Reads one alert. Throws `PayloadError` 422 when it has no title. */
export function readAlert(mapping: Mapping, scope: Scope, context: MappingContext): MappedAlert {
  const { missing } = mapping;
  const word = readField(mapping.status, scope, missing);
  const status = statusOf(word);
  if (status === 'ignored') return { kind: 'ignored' };
  const collected = collectLabels(mapping.labels_from ?? [], scope);
  const inner: Scope = { ...scope, labels: collected };
  const read = (field: Field | undefined) => readField(field, inner, missing);
  const title = read(mapping.title);
  if (title === undefined) throw new PayloadError(`title: nothing at ${placesOf(mapping.title)}`, 422);
  const labels = { ...collected, ...present(mapping.labels, read) };
  const fingerprint = identityOf(read(mapping.dedup_key), [context.source, title, sorted(labels)]);
  const changedAtMs = parseTime(read(mapping.changed_at));
  if (status === 'acknowledged') {
    const atMs = changedAtMs ?? context.now();
    return { kind: 'acknowledged', acknowledgement: { fingerprint, by: read(mapping.acknowledged_by), atMs } };
  }
  const severity = read(mapping.severity);
  const alert: Alert = {
    status,
    labels: { ...labels, ...(severity === undefined ? {} : { severity }), alertname: title },
    annotations: annotationsOf(mapping, inner, read),
    ...startOf(parseTime(read(mapping.started_at)), changedAtMs ?? context.now()),
    endsAtMs: status === 'resolved' ? changedAtMs : undefined,
    generatorUrl: read(mapping.link),
    fingerprint,
  };
  const isUnknown = word !== undefined && mapping.status?.map !== undefined && !isState(word);
  return { kind: 'alert', alert, ...(isUnknown ? { unknownStatus: word } : {}) };
}

/** What nobody has thought of is taken for firing: an alert too many is better than one that nobody hears of. */
function statusOf(text: string | undefined): AlertStatus | 'acknowledged' | 'ignored' {
  const status = text?.toLowerCase();
  return status === 'resolved' || status === 'acknowledged' || status === 'ignored' ? status : 'firing';
}

function startOf(startedAtMs: number | undefined, otherwiseMs: number): Pick<Alert, 'startsAtMs' | 'startsAtReceipt'> {
  if (startedAtMs !== undefined) return { startsAtMs: startedAtMs };
  return { startsAtMs: otherwiseMs, startsAtReceipt: true };
}

/** The sender's key, else a hash of what is told. The severity is no part of that: it changes while the alert stays the same. */
function identityOf(key: string | undefined, told: readonly unknown[]): string {
  if (key === undefined) return hash(JSON.stringify(told));
  return key.length <= MAX_KEY_LENGTH ? key : hash(key);
}

function sorted(labels: Labels): readonly (readonly [string, string])[] {
  return Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

type Read = (field: Field | undefined) => string | undefined;

function present(fields: Readonly<Record<string, Field>>, read: Read): Labels {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = read(field);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function annotationsOf(mapping: Mapping, scope: Scope, read: Read): Labels {
  const description = read(mapping.description);
  return {
    ...linksOf(mapping, scope),
    ...present(mapping.annotations, read),
    ...(description === undefined ? {} : { description }),
  };
}

/** `{title, url}`, as annotations. They are shown, never fetched. */
function linksOf({ links_from: paths = [] }: Mapping, scope: Scope): Labels {
  const entries = paths.flatMap((path) => valuesAt(path, scope)).flat();
  spend(scope, entries.length);
  const links = entries.flatMap((entry): [string, string][] => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { title, text, url, href } = entry as Readonly<Record<string, unknown>>;
    const [name, target] = [title ?? text, url ?? href];
    if (typeof target !== 'string' || target === '') return [];
    return [[typeof name === 'string' && name ? `link: ${name}` : 'link', target]];
  });
  return Object.fromEntries(links.slice(0, MAX_LINKS));
}

function placesOf(field: Field | undefined): string {
  return field?.path?.map(({ text }) => text).join(', ') ?? 'no path';
}

import type { KubernetesObject } from '../../../domain/telemetry.ts';
import { at, listAt, textAt, textsAt, timeAt } from '../../../funnel/events/json-path.ts';
import { clip, oneLine } from '../../../policy/untrusted.ts';
import { momentText } from '../moments.ts';

/** What one object tells, each fact a clause. */
export interface Facts {
  /** How it stands. */
  readonly state: readonly string[];
  /** How it is meant to be: shown when few objects are asked for. */
  readonly spec: readonly string[];
  /** By what it says itself it is not as it should be, or not as one expects. */
  readonly isNotable: boolean;
}

export type DescribeObject = (object: KubernetesObject, triggerMs: number) => Facts;

/** Longest value that is quoted: the rest of a long one rarely tells more. */
const VALUE_CHARACTERS = 160;
/** Of one of several facts, which may be a name with such a value. */
const FACT_CHARACTERS = 500;

export const quoted = (text: string, most = VALUE_CHARACTERS): string => clip(oneLine(text), most);

/** `label value`, or nothing when there is no value. */
export function fact(label: string, value: string | number | boolean | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [`${label} ${typeof value === 'string' ? quoted(value) : value}`];
}

/** A list as one fact; nothing for an empty one. */
export function facts(label: string, values: readonly string[], most = 12): readonly string[] {
  if (values.length === 0) return [];
  const more = values.length > most ? ` and ${values.length - most} more` : '';
  return [
    `${label} ${values
      .slice(0, most)
      .map((value) => quoted(value, FACT_CHARACTERS))
      .join(', ')}${more}`,
  ];
}

/** `cpu=2, memory=1Gi` of a map of texts and numbers. */
export function pairs(value: unknown, ...path: readonly string[]): readonly string[] {
  const found = at(value, ...path);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return [];
  return Object.entries(found).flatMap(([key, one]) =>
    ['string', 'number', 'boolean'].includes(typeof one) ? [`${key}=${one}`] : [],
  );
}

/** Conditions that are not as they are in a healthy object: those of `bad` types that are true, others that are not. */
export function badConditions(object: unknown, bad: RegExp, triggerMs: number): readonly string[] {
  return listAt(object, 'status', 'conditions').flatMap((condition) => {
    const [type, status] = [textAt(condition, 'type') ?? '', textAt(condition, 'status') ?? ''];
    const isBad = bad.test(type) ? status === 'True' : status === 'False' || status === 'Unknown';
    if (!isBad) return [];
    const sinceMs = timeAt(condition, 'lastTransitionTime');
    const since = sinceMs === undefined ? '' : ` since ${momentText(sinceMs, triggerMs)}`;
    const why = [textAt(condition, 'reason'), textAt(condition, 'message')].filter((word) => word !== undefined);
    return [`${type} is ${status}${since}${why.length > 0 ? ` (${quoted(why.join(': '))})` : ''}`];
  });
}

/** `app=cart, tier=web`. */
export function selectorText(value: unknown, ...path: readonly string[]): string {
  const labels = textsAt(value, ...path, 'matchLabels');
  const own = Object.keys(labels).length > 0 ? labels : textsAt(value, ...path);
  return Object.entries(own)
    .map(([key, label]) => `${key}=${label}`)
    .join(', ');
}

/** A value of a list of objects. */
export function eachText(value: unknown, path: readonly string[], name: string): readonly string[] {
  return listAt(value, ...path).flatMap((item) => textAt(item, name) ?? []);
}

import type { Field } from './mapping.ts';
import { spend, valuesAt, type Scope } from './paths.ts';

/** The text that a field takes from a webhook; undefined when there is none. `missing`: texts that mean that there is no value. */
export function readField(field: Field | undefined, scope: Scope, missing: readonly string[] = []): string | undefined {
  if (!field) return undefined;
  const found = field.const ?? firstText(field, scope, missing);
  if (found === undefined) return field.default;
  return field.map ? translate(found, field.map, field.otherwise) : found;
}

/** What the sender wrote, where neither `map` nor `otherwise` says what it becomes: it stays as it is. */
export function unmappedText(
  field: Field | undefined,
  scope: Scope,
  missing: readonly string[] = [],
): string | undefined {
  if (!field?.map || field.otherwise !== undefined) return undefined;
  const found = field.const ?? firstText(field, scope, missing);
  return found === undefined || entryOf(found, field.map) ? undefined : found;
}

/** A text of so many characters, written for one field, is as much work as one value. */
const CHARACTERS_A_VALUE = 10;

function firstText({ path: paths = [] }: Field, scope: Scope, missing: readonly string[]): string | undefined {
  for (const path of paths) {
    for (const value of valuesAt(path, scope)) {
      const text = textOf(value);
      if (typeof value === 'object') spend(scope, (text?.length ?? 0) / CHARACTERS_A_VALUE);
      if (text !== undefined && !missing.includes(text)) return text;
    }
  }
  return undefined;
}

/** Lists and objects become JSON; blanks, null and false count as nothing. */
function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined || value === false) return undefined;
  const text = typeof value === 'string' ? value.trim() : jsonOf(value);
  return text === '' || text === '{}' || text === '[]' ? undefined : text;
}

/** What is nested thousands deep can be read, but not written again. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

function translate(value: string, map: Readonly<Record<string, string>>, otherwise: string | undefined): string {
  return entryOf(value, map)?.[1] ?? otherwise ?? value;
}

function entryOf(value: string, map: Readonly<Record<string, string>>): readonly [string, string] | undefined {
  const wanted = value.toLowerCase();
  return Object.entries(map).find(([from]) => from.toLowerCase() === wanted);
}

/**
 * Reading of foreign JSON, where every field may be missing or of another type: a wrong type reads as missing (undefined or empty),
 * nothing throws.
 */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || Array.isArray(current)) return undefined;
    current = Object.hasOwn(current, key) ? (current as Record<string, unknown>)[key] : undefined;
  }
  return current;
}

/** A non-empty string; undefined for anything else. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** A finite number, also when spelled as a string. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  if (typeof found === 'number') return Number.isFinite(found) ? found : undefined;
  if (typeof found !== 'string' || !/^-?\d+(\.\d+)?$/.test(found)) return undefined;
  return Number(found);
}

export function booleanAt(value: unknown, ...path: readonly string[]): boolean | undefined {
  const found = at(value, ...path);
  return typeof found === 'boolean' ? found : undefined;
}

/** The list, or an empty one. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function hasAt(value: unknown, ...path: readonly string[]): boolean {
  return at(value, ...path) !== undefined;
}

/**
 * String values of an object; other values are left out. Empty when it is missing. Without a prototype, so that a foreign key such as
 * `constructor` finds nothing that was not recorded.
 */
export function textsAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = at(value, ...path);
  const texts = Object.create(null) as Record<string, string>;
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return texts;
  for (const [key, text] of Object.entries(found)) if (typeof text === 'string') texts[key] = text;
  return texts;
}

/** Epoch milliseconds of an ISO 8601 time stamp. */
export function timeAt(value: unknown, ...path: readonly string[]): number | undefined {
  const text = textAt(value, ...path);
  const parsed = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(parsed) ? undefined : parsed;
}

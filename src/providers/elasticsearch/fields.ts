import { z } from 'zod';

/** Answer of `_field_caps`: by name, then by type (elastic.co/docs/api/doc/elasticsearch/operation/operation-field-caps). */
export const FieldCaps = z.object({
  fields: z.record(
    z.string(),
    z.record(z.string(), z.object({ searchable: z.boolean().optional(), aggregatable: z.boolean().optional() })),
  ),
});
export type FieldCaps = z.infer<typeof FieldCaps>;

/** How a field can be asked for. */
export interface FieldUse {
  /** The name by which whole values are compared and counted: the field, or its `.keyword`; undefined where neither can. */
  readonly exact: string | undefined;
  /** Its text is cut into words, so that only words can be looked for. */
  readonly isText: boolean;
  /** A word cannot be compared with it. */
  readonly isNumber: boolean;
}

const NUMBER_TYPES: ReadonlySet<string> = new Set([
  'long',
  'integer',
  'short',
  'byte',
  'unsigned_long',
  'double',
  'float',
]);
const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'match_only_text']);

/** What can be done with each of the fields that the indices have. Fields that only some indices have count. */
export function readFieldUses(names: readonly string[], caps: FieldCaps): ReadonlyMap<string, FieldUse> {
  const typesOf = (name: string) => Object.entries(caps.fields[name] ?? {}).filter(([type]) => type !== 'unmapped');
  const isExact = (name: string) => {
    const types = typesOf(name);
    return types.length > 0 && types.every(([, { aggregatable }]) => aggregatable === true);
  };
  const uses = new Map<string, FieldUse>();
  for (const name of names) {
    const types = typesOf(name).filter(([type, { searchable }]) => searchable === true && type !== 'object');
    if (types.length === 0) continue;
    const exact = [name, `${name}.keyword`].find(isExact);
    const isAny = (of: ReadonlySet<string>) => types.some(([type]) => of.has(type));
    uses.set(name, { exact, isText: isAny(TEXT_TYPES), isNumber: isAny(NUMBER_TYPES) });
  }
  return uses;
}

/** The text of a field of a document, whose objects may be nested or have dots in their names; of a list, its first. Undefined when not set. */
export function valueAt(source: unknown, path: string): string | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const object = source as Readonly<Record<string, unknown>>;
  const whole = object[path];
  if (whole !== undefined && whole !== null) return textOf(whole);
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const found = valueAt(object[path.slice(0, dot)], path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'string') return first;
  return typeof first === 'number' || typeof first === 'boolean' ? String(first) : undefined;
}

import type { JsonSchema } from '../agent/model.ts';

/** What structured output understands; everything else is refused by the API or ignored. */
const KEPT = new Set([
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'const',
  'anyOf',
  'description',
  '$ref',
  '$defs',
]);
const BOUNDS = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern'];

/**
 * The subset of `schema` that structured output accepts. Bounds move into the descriptions, where the model can read them; the
 * answer is still to be validated against the full schema.
 */
export function outputSchema(schema: JsonSchema): JsonSchema {
  const kept = Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => KEPT.has(keyword))
      .map(([keyword, value]) => [keyword, convert(keyword, value)]),
  );
  const bounds = BOUNDS.filter((bound) => schema[bound] !== undefined).map(
    (bound) => `${bound} ${String(schema[bound])}`,
  );
  if (bounds.length) kept['description'] = [schema['description'], `(${bounds.join(', ')})`].filter(Boolean).join(' ');
  // Required on every object, and the only value that is allowed.
  if (schema['type'] === 'object') kept['additionalProperties'] = false;
  return kept;
}

function convert(keyword: string, value: unknown): unknown {
  if (keyword === 'properties' || keyword === '$defs') {
    return Object.fromEntries(Object.entries(value as object).map(([name, schema]) => [name, outputSchema(schema)]));
  }
  if (keyword === 'items') return outputSchema(value as JsonSchema);
  if (keyword === 'anyOf') return (value as readonly JsonSchema[]).map(outputSchema);
  return value;
}

/** The name the model calls it by; undefined when it would be longer than tool names may be. */
export function exposedName(server: string, tool: string): string | undefined {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  return name.length <= 64 ? name : undefined;
}

/** Why a tool of the allow-list is not exposed. A closed set: it is a label of a metric. */
export const DISABLED_REASONS = [
  'missing',
  'no_hash',
  'hash_mismatch',
  'no_read_only_hint',
  'writes',
  'schema',
  'name',
  'list_changed',
] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

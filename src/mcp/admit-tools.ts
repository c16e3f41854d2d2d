import { definitionHash, schemaProblem, type ToolDefinition } from './definition.ts';
import { exposedName, type DisabledReason } from './exposure.ts';
import type { McpServerSettings } from './settings.ts';

export type Admission =
  | { readonly kind: 'exposed'; readonly exposedName: string; readonly definition: ToolDefinition }
  | { readonly kind: 'disabled'; readonly tool: string; readonly reason: DisabledReason; readonly why: string };

type Rules = Pick<McpServerSettings, 'name' | 'allowTools' | 'toolsSha256' | 'trustWithoutHint'>;

/**
 * Judges what a server lists. One verdict for every name of the allow-list, in its order; what is not on it does not exist. Exposed is only what the
 * operator named, reviewed by hash, and what its own server calls read-only.
 */
export function admitTools(rules: Rules, listed: readonly ToolDefinition[]): readonly Admission[] {
  const verdicts = rules.allowTools.map((name) => admit(rules, name, listed));
  const names = verdicts.flatMap((verdict) => (verdict.kind === 'exposed' ? [verdict.exposedName] : []));
  return verdicts.map((verdict) => {
    if (verdict.kind === 'disabled' || names.indexOf(verdict.exposedName) === names.lastIndexOf(verdict.exposedName))
      return verdict;
    return disabled(verdict.definition.name, 'name', `another tool would have the same name ${verdict.exposedName}`);
  });
}

function admit(rules: Rules, tool: string, listed: readonly ToolDefinition[]): Admission {
  const [definition, twin] = listed.filter(({ name }) => name === tool);
  if (!definition) return disabled(tool, 'missing', 'the server lists no such tool');
  if (twin) return disabled(tool, 'name', 'the server lists two tools of this name');
  const { readOnlyHint, destructiveHint } = definition.annotations ?? {};
  if (readOnlyHint === false || destructiveHint === true)
    return disabled(tool, 'writes', 'its own server says that it changes things');
  if (readOnlyHint !== true && !rules.trustWithoutHint.includes(tool))
    return disabled(tool, 'no_read_only_hint', 'it does not say that it is read-only, and trustWithoutHint is not set');
  const pinned = rules.toolsSha256[tool];
  if (pinned === undefined)
    return disabled(tool, 'no_hash', 'its definition is not reviewed: toolsSha256 has no entry for it');
  if (pinned !== definitionHash(definition))
    return disabled(tool, 'hash_mismatch', 'its definition is not the one that was reviewed');
  const problem = schemaProblem(definition.inputSchema);
  if (problem !== undefined) return disabled(tool, 'schema', problem);
  const name = exposedName(rules.name, tool);
  if (name === undefined) return disabled(tool, 'name', 'its name is too long');
  return { kind: 'exposed', exposedName: name, definition };
}

function disabled(tool: string, reason: DisabledReason, why: string): Admission {
  return { kind: 'disabled', tool, reason, why };
}

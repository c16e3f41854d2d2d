import type { Topology } from '../domain/telemetry.ts';

/** One edge as topology files of several tools write it. */
function toEdge(value: unknown): { from: string; to: string } | undefined {
  const [from, to] = Array.isArray(value) ? (value as unknown[]) : endsOf(value);
  return typeof from === 'string' && typeof to === 'string' && from && to ? { from, to } : undefined;
}

function endsOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const edge = value as Record<string, unknown>;
  return [edge['from'] ?? edge['source'] ?? edge['caller'], edge['to'] ?? edge['target'] ?? edge['callee']];
}

function toName(value: unknown): string | undefined {
  if (typeof value === 'string') return value || undefined;
  const name = typeof value === 'object' && value !== null ? (value as { name?: unknown }).name : undefined;
  return typeof name === 'string' && name ? name : undefined;
}

/**
 * Reads `{services, edges: [{from, to}]}`; `from` calls `to`. `ignored` counts entries that name nothing. Undefined when the value
 * is not a topology at all.
 */
export function toTopology(value: unknown): { readonly topology: Topology; readonly ignored: number } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { services, edges } = value as { services?: unknown; edges?: unknown };
  if (!Array.isArray(services) && !Array.isArray(edges)) return undefined;
  const serviceList: unknown[] = Array.isArray(services) ? services : [];
  const edgeList: unknown[] = Array.isArray(edges) ? edges : [];
  const named = serviceList.map(toName).filter((name) => name !== undefined);
  const joined = edgeList.map(toEdge).filter((edge) => edge !== undefined);
  const ignored = serviceList.length - named.length + edgeList.length - joined.length;
  return { topology: { services: [...new Set(named)], edges: joined }, ignored };
}

import type { Toolbox } from '../agent/toolbox.ts';
import type { OperationsLog } from '../domain/operations.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import type { Knowledge } from './open-knowledge.ts';

/**
 * Everything the agents of this process may reach for, one line a part. `host` is empty in a replay. `operations` is there where a Redis is. Tools of MCP
 * servers come with each investigation (open-mcp.ts), since they may change.
 */
export function openToolbox(
  providers: readonly TelemetryProvider[],
  knowledge: Pick<Knowledge, 'tools'>,
  host: Pick<Toolbox, 'runCommand' | 'readTextFile'>,
  operations?: OperationsLog,
): Toolbox {
  return { providers, ...knowledge.tools, ...host, ...(operations ? { operations } : {}) };
}

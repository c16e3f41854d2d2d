import type { Toolbox } from '../agent/toolbox.ts';
import type { Config } from '../config/schema.ts';
import type { OperationsLog } from '../domain/operations.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import type { Knowledge } from './open-knowledge.ts';

/**
 * Everything the agents of this process may reach for, from the configuration. One line a part. `operations` is there where a Redis is. Tools of MCP
 * servers come with each investigation (open-mcp.ts), since they may change.
 */
export function openToolbox(
  _config: Config,
  providers: readonly TelemetryProvider[],
  knowledge: Pick<Knowledge, 'tools'>,
  operations?: OperationsLog,
): Toolbox {
  return { providers, ...knowledge.tools, ...(operations ? { operations } : {}) };
}

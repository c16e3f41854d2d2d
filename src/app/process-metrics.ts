import { TERMINATION_REASONS } from '../agent/agent-stop.ts';
import { SPENT_BUDGETS } from '../agent/ledger.ts';
import { MODEL_ERROR_KINDS } from '../agent/model.ts';
import { REPAIRS } from '../agent/step.ts';
import { TOOL_NAMES } from '../agent/tools/index.ts';
import { TOOL_DATA_KINDS } from '../agent/tools/tool.ts';
import type { Config } from '../config/schema.ts';
import type { Destination } from '../domain/delivery.ts';
import { DISABLED_REASONS, exposedName } from '../mcp/exposure.ts';
import { createMetrics, type Metrics } from '../platform/metrics.ts';
import type { Source } from '../sources/source.ts';
import { mcpSettingsOf } from './mcp-settings.ts';
import { CAPS } from './spending.ts';
import { version } from './version.ts';

/** Types of redaction that are counted by name; the long tail of token formats is counted as `other`. */
const REDACTIONS = ['known-secret', 'password', 'private-key', 'jwt', 'cookie', 'kubernetes-secret', 'webhook-url'];

/** The metrics of this process, with the label values that its configuration makes possible. Throws `ConfigError` for a broken MCP_CONFIG_FILE. */
export function createProcessMetrics(
  config: Config,
  sources: readonly Source[],
  destinations: readonly Destination[],
): Metrics {
  const mcp = mcpSettingsOf(config).servers;
  const lent = mcp.flatMap(({ name, allowTools }) => allowTools.flatMap((tool) => exposedName(name, tool) ?? []));
  return createMetrics({
    version: version(),
    sources: sources.map((source) => source.name),
    destinations: destinations.map((destination) => destination.name),
    models: [config.MODEL_ID],
    modelErrors: MODEL_ERROR_KINDS,
    tools: [...TOOL_NAMES, ...lent],
    terminationReasons: [...TERMINATION_REASONS, 'no_model', 'given_up'],
    budgets: [...SPENT_BUDGETS, ...CAPS],
    redactions: REDACTIONS,
    repairs: REPAIRS,
    evidenceKinds: ['telemetry', ...TOOL_DATA_KINDS],
    mcp: { servers: mcp.map(({ name }) => name), reasons: DISABLED_REASONS },
  });
}

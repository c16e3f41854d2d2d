import type { Config } from '../config/schema.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import type { DisabledReason } from '../mcp/exposure.ts';
import type { McpServers, OpenedTools, OpenTools } from '../mcp/servers.ts';
import { mcpSettingsOf } from './mcp-settings.ts';
import { version } from './version.ts';

const NO_TOOLS: OpenTools = () => Promise.resolve({ external: [], gaps: [] });

const NO_SERVERS: McpServers = {
  open: NO_TOOLS,
  openForSubAgents: NO_TOOLS,
  review: () => Promise.resolve([]),
  checks: [],
  stop: () => Promise.resolve(),
};

/**
 * The configured servers, none of which is started yet. The caller stops them. Throws `ConfigError`. The client of the protocol is a good part of a
 * start, so it is loaded only where there is a server.
 */
export async function openMcp(
  config: Config,
  onDisabled: (server: string, reason: DisabledReason) => void = () => undefined,
): Promise<McpServers> {
  const { servers } = mcpSettingsOf(config);
  if (servers.length === 0) return NO_SERVERS;
  const { createMcpServers } = await import('../mcp/servers.ts');
  return createMcpServers(servers, { version: version(), now: Date.now, onDisabled });
}

/**
 * The parts of one investigation with the tools that the servers have now; what is not there is a gap of its report. They are opened from now on, beside
 * the reading of telemetry; a server that is away delays the agent a little, and never the first look. No model, no tools.
 */
export function withMcpTools(parts: InvestigationParts, openTools: OpenTools, signal: AbortSignal): InvestigationParts {
  if ('off' in parts.model) return parts;
  const opening = openTools(signal).catch((error: unknown): OpenedTools => {
    // Who is stopped says so where it works.
    if (signal.aborted) return { external: [], gaps: [] };
    throw error;
  });
  // Whoever waits for it is told; until then a failure is nobody's.
  opening.catch(() => undefined);
  return {
    ...parts,
    toolbox: { ...parts.toolbox, external: async () => (await opening).external },
    equip: async () => [...((await parts.equip?.()) ?? []), ...(await opening).gaps],
  };
}

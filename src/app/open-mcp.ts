import { referredVariable } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import type { DisabledReason } from '../mcp/admit-tools.ts';
import { createMcpServers, type McpServers, type OpenedTools, type OpenTools } from '../mcp/servers.ts';
import { McpConfigError, readMcpSettings, type McpSettings } from '../mcp/settings.ts';
import { readSettingFile, refuseFile } from './setting-file.ts';
import { version } from './version.ts';

/** The servers of MCP_CONFIG_FILE; none without it. Throws `ConfigError` that names the file, the line and the path. */
export function mcpSettingsOf({ MCP_CONFIG_FILE: file }: Config): McpSettings {
  if (file === undefined) return { servers: [], secrets: [] };
  const text = readSettingFile('MCP_CONFIG_FILE', file);
  try {
    return readMcpSettings(text, file, referredVariable);
  } catch (error) {
    throw error instanceof McpConfigError ? refuseFile('MCP_CONFIG_FILE', error.message, error) : error;
  }
}

/** For redaction, which goes on where the file is broken: whoever opens the servers tells that. */
export function mcpSecretsOf(config: Config): readonly string[] {
  try {
    return mcpSettingsOf(config).secrets;
  } catch {
    return [];
  }
}

/** The configured servers, none of which is started yet. The caller stops them. Throws `ConfigError`. */
export function openMcp(
  config: Config,
  onDisabled: (server: string, reason: DisabledReason) => void = () => undefined,
): McpServers {
  return createMcpServers(mcpSettingsOf(config).servers, { version: version(), now: Date.now, onDisabled });
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

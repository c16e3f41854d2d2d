import { referredVariable, secretsInUrl } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { McpConfigError, readMcpSettings, type McpSettings } from '../mcp/settings.ts';
import { readSettingFile, refuseFile } from './setting-file.ts';

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
    return mcpSettingsOf(config).secrets.flatMap((value) => [value, ...secretsInUrl(value, false)]);
  } catch {
    return [];
  }
}

import { z } from 'zod';

export const furtherTools = {
  MCP_CONFIG_FILE: z
    .string()
    .optional()
    .describe('YAML or JSON with the MCP servers whose read-only tools the agent may use (docs/mcp.md).'),
} as const;

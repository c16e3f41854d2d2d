import type { ExternalTool } from '../agent/toolbox.ts';
import { ToolFailure, type ToolData } from '../agent/tools/tool.ts';
import type { Admission } from './admit-tools.ts';
import { argumentChecker } from './arguments.ts';
import { modelDescription, modelSchema, type ToolDefinition } from './definition.ts';
import { isAnswer } from './failure.ts';
import { resultText } from './result-text.ts';
import { McpServerAway, type McpServer } from './server.ts';

type Exposed = Extract<Admission, { readonly kind: 'exposed' }>;

/** An admitted tool as the agent has it. A call that the server does not answer is a gap of the report; a refusal is for the model to read. */
export function externalTool(server: McpServer, { exposedName, definition }: Exposed): ExternalTool {
  const { settings } = server;
  const problemOf = argumentChecker(definition.inputSchema);
  return {
    forSubAgents: settings.forSubAgents,
    tool: {
      name: exposedName,
      description: modelDescription(settings.name, definition.description),
      inputSchema: modelSchema(definition.inputSchema),
      run: async (input, _context, signal) => {
        const problem = problemOf(input);
        if (problem !== undefined)
          throw new ToolFailure(`The input of ${exposedName} is not valid: ${problem}. Correct it and call again.`);
        return callTool(server, definition, input as Record<string, unknown>, signal);
      },
    },
  };
}

async function callTool(
  server: McpServer,
  definition: ToolDefinition,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolData> {
  const { name } = definition;
  const about = `tool ${name} of the MCP server ${server.settings.name}`;
  try {
    await requireAdmitted(server, name, about, signal);
    const result = await server.call(definition, input, signal);
    const { text, notes } = resultText(result);
    if (result.isError) throw new ToolFailure(`The ${about} failed: ${text}`);
    return { kind: 'text', searched: `${about}, ${JSON.stringify(input)}`, text, evidence: 'tool', notes };
  } catch (error) {
    if (error instanceof McpServerAway) throw away(server, error.message, about, error);
    if (isAnswer(error)) throw new ToolFailure(`The ${about} refused: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Between the start of the investigation and this call the definition may have changed, or its server may have announced that. */
async function requireAdmitted(server: McpServer, tool: string, about: string, signal: AbortSignal): Promise<void> {
  const verdict = await server.admission(tool, signal);
  if (verdict?.kind === 'exposed') return;
  const why = verdict?.why ?? 'it is not in allowTools';
  throw away(server, `its tool ${tool} is disabled: ${why}`, about);
}

function away(server: McpServer, why: string, about: string, cause?: unknown): ToolFailure {
  const gap = { source: `mcp:${server.settings.name}`, message: `${about}: ${why}` };
  return new ToolFailure(`The ${about} cannot be used: ${why}. Go on without it.`, { cause, gap });
}

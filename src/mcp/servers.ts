import type { ExternalTool } from '../agent/toolbox.ts';
import type { CheckResult } from '../domain/check-result.ts';
import type { Gap } from '../domain/telemetry.ts';
import { definitionHash } from './definition.ts';
import { externalTool } from './external-tool.ts';
import { McpServer, McpServerAway, type ServerDeps } from './server.ts';
import type { McpServerSettings } from './settings.ts';

/** What a person reviews before a tool is allowed. */
export interface ToolReview {
  readonly name: string;
  readonly sha256: string;
  readonly readOnlyHint: boolean | null;
  readonly destructiveHint: boolean | null;
  /** `exposed`, `not allowed`, or why it is not exposed although it is allowed. */
  readonly state: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ServerReview {
  readonly server: string;
  /** Null when the server answers. */
  readonly problem: string | null;
  readonly tools: readonly ToolReview[];
}

export interface OpenedTools {
  readonly external: readonly ExternalTool[];
  /** One for every server and every allowed tool that is not there. */
  readonly gaps: readonly Gap[];
}

/** Tools as they are now, in the order of the file. Connects what is not connected. Rejects only when `signal` aborts. */
export type OpenTools = (signal: AbortSignal) => Promise<OpenedTools>;

export interface McpServers {
  readonly open: OpenTools;
  /** Only of servers whose tools sub-agents may use. */
  readonly openForSubAgents: OpenTools;
  review(signal: AbortSignal): Promise<readonly ServerReview[]>;
  /** One for each server, for `rootnote doctor`. */
  readonly checks: readonly { readonly name: string; check(signal: AbortSignal): Promise<CheckResult> }[];
  /** Ends all connections and child processes. Safe to call twice. */
  stop(): Promise<void>;
}

/** All configured servers. Nothing is started before it is needed. */
export function createMcpServers(settings: readonly McpServerSettings[], deps: ServerDeps): McpServers {
  const servers = settings.map((entry) => new McpServer(entry, deps));
  return {
    open: (signal) => openAll(servers, signal),
    openForSubAgents: (signal) => {
      const lent = servers.filter((server) => server.settings.forSubAgents);
      return openAll(lent, signal);
    },
    review: (signal) => Promise.all(servers.map((server) => reviewOne(server, signal))),
    checks: servers.map((server) => ({
      name: checkName(server),
      check: (signal) => checkOne(server, signal),
    })),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

async function openAll(servers: readonly McpServer[], signal: AbortSignal): Promise<OpenedTools> {
  const opened = await Promise.all(servers.map((server) => openOne(server, signal)));
  return { external: opened.flatMap(({ external }) => external), gaps: opened.flatMap(({ gaps }) => gaps) };
}

async function openOne(server: McpServer, signal: AbortSignal): Promise<OpenedTools> {
  const source = `mcp:${server.settings.name}`;
  try {
    const { admissions } = await server.read(signal);
    return {
      external: admissions.flatMap((verdict) => (verdict.kind === 'exposed' ? [externalTool(server, verdict)] : [])),
      gaps: admissions.flatMap((verdict) =>
        verdict.kind === 'disabled'
          ? [{ source, message: `tool ${verdict.tool} is disabled: ${verdict.why}; see rootnote mcp list` }]
          : [],
      ),
    };
  } catch (error) {
    if (!(error instanceof McpServerAway)) throw error;
    return { external: [], gaps: [{ source, message: `the MCP server cannot be used: ${error.message}` }] };
  }
}

async function reviewOne(server: McpServer, signal: AbortSignal): Promise<ServerReview> {
  const { name, allowTools } = server.settings;
  try {
    const { listed, admissions } = await server.read(signal);
    const states = new Map(
      admissions.map((verdict) =>
        verdict.kind === 'exposed' ? [verdict.definition.name, 'exposed'] : [verdict.tool, verdict.why],
      ),
    );
    const tools = listed.map((definition) => ({
      name: definition.name,
      sha256: definitionHash(definition),
      readOnlyHint: definition.annotations?.readOnlyHint ?? null,
      destructiveHint: definition.annotations?.destructiveHint ?? null,
      state: states.get(definition.name) ?? 'not allowed',
      description: definition.description ?? '',
      inputSchema: definition.inputSchema,
    }));
    const unknown = allowTools.filter((tool) => !listed.some((definition) => definition.name === tool));
    const problem = unknown.length > 0 ? `it lists no tool ${unknown.join(', ')}` : null;
    return { server: name, problem, tools };
  } catch (error) {
    if (!(error instanceof McpServerAway)) throw error;
    return { server: name, problem: error.message, tools: [] };
  }
}

function checkName(server: McpServer): string {
  return `mcp ${server.settings.name}`;
}

async function checkOne(server: McpServer, signal: AbortSignal): Promise<CheckResult> {
  const name = checkName(server);
  try {
    const { listed, admissions } = await server.read(signal);
    const exposed = admissions.flatMap((verdict) => (verdict.kind === 'exposed' ? [verdict.definition.name] : []));
    const value = `${exposed.length} of ${listed.length} tools exposed${exposed.length > 0 ? `: ${exposed.join(', ')}` : ''}`;
    const problems = admissions.flatMap((verdict) =>
      verdict.kind === 'disabled' ? [`${verdict.tool}: ${verdict.why}`] : [],
    );
    if (problems.length === 0) return { name, status: 'ok', value };
    return { name, status: 'warn', value, remedy: `${problems.join('; ')}. Review with rootnote mcp list.` };
  } catch (error) {
    if (!(error instanceof McpServerAway)) throw error;
    const remedy = 'Check its entry in MCP_CONFIG_FILE; investigations go on without it.';
    return { name, status: 'fail', value: `it cannot be used: ${error.message}`, remedy };
  }
}

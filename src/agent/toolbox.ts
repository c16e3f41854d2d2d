import type { OperationsLog } from '../domain/operations.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import type { RunSubAgents } from './sub-agents/port.ts';
import type { Tool } from './tools/tool.ts';

/** Playbooks. Knowledge, never authority. */
export interface SkillShelf {
  /** Every skill with its description, by name. Never throws for a broken file. */
  catalogue(): Promise<readonly SkillEntry[]>;
  /** The body, cut and said so above 20,000 characters; undefined when there is none of that name (or the name has no legal shape). */
  load(name: string): Promise<string | undefined>;
}

export interface SkillEntry {
  readonly name: string;
  readonly description: string;
}

export interface Memory {
  /** For the system prompt; empty when nothing is remembered. Redacted before it is cut. */
  recall(): Promise<string>;
  /** Appends one fact. `refused` says why in words for the model. The same fact again is no second line. */
  remember(
    fact: string,
  ): Promise<{ readonly kind: 'kept' | 'known' } | { readonly kind: 'refused'; readonly why: string }>;
}

/** Runs a command line that the read-only gate allows (class R0), without a shell. */
export type RunCommand = (command: string, signal: AbortSignal) => Promise<CommandResult>;

export type CommandResult =
  | { readonly kind: 'denied'; readonly risk: 'R0' | 'R1' | 'R2' | 'R3'; readonly reason: string }
  | {
      readonly kind: 'ran';
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
      /** What was cut, in words; empty when nothing was. */
      readonly cut: string;
    };

/**
 * Reads lines of a file below an allow-listed root; without `fromLine` (1 is the first) the last ones. Rejects with ToolFailure for what may not or
 * cannot be read. `cut` says in words what was left out; empty when nothing was.
 */
export type ReadTextFile = (
  path: string,
  range: { readonly fromLine?: number; readonly lines: number },
) => Promise<{ readonly text: string; readonly cut: string }>;

/**
 * Everything an agent may reach for. What is not there has no tool. The dispatcher only knows the tools of the agent's role, so that nothing can be
 * called that is not in the list.
 */
export interface Toolbox {
  readonly providers: readonly TelemetryProvider[];
  readonly skills?: SkillShelf;
  readonly runCommand?: RunCommand;
  readonly readTextFile?: ReadTextFile;
  readonly operations?: OperationsLog;
  /** For the main agent of an alert only. */
  readonly memory?: Memory;
  /** Tools of MCP servers; `forSubAgents` says which of them sub-agents get, too. Waits for servers that are still being opened; none when it was stopped. */
  readonly external?: () => Promise<readonly ExternalTool[]>;
  /** Main agents only. */
  readonly runSubAgents?: RunSubAgents;
}

export interface ExternalTool {
  readonly tool: Tool;
  readonly forSubAgents: boolean;
}

/** Whose tools: the main agent of an alert, the main agent of a scheduled check (no `remember`), a sub-agent (SPEC B14). */
export type AgentRole = 'alert' | 'check' | 'sub';

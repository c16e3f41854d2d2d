import { styleText } from 'node:util';
import type { ServerReview, ToolReview } from '../mcp/servers.ts';
import { oneLine } from '../policy/untrusted.ts';

/** What a person reads before a tool is allowed: everything that its hash covers, made visible. */
export function printMcp(reviews: readonly ServerReview[], options: { readonly colour: boolean }): string {
  if (reviews.length === 0) return 'No MCP server is configured: set MCP_CONFIG_FILE.\n';
  const bold = (text: string) => (options.colour ? styleText('bold', text) : text);
  const lines = reviews.flatMap(({ server, problem, tools }) => [
    bold(server),
    ...(problem === null ? [] : [`  ${oneLine(problem)}`]),
    ...tools.flatMap(toolLines),
    '',
  ]);
  return `${lines.join('\n')}A tool is exposed when it is in allowTools, its hash is in toolsSha256, and its server calls it read-only.\n`;
}

function toolLines(tool: ToolReview): readonly string[] {
  const hints = [hint('read-only', tool.readOnlyHint), hint('destructive', tool.destructiveHint)].filter(Boolean);
  return [
    `  ${oneLine(tool.name)}: ${oneLine(tool.state)}`,
    `    says:   ${hints.join(', ') || 'nothing about what it changes'}`,
    `    about:  ${oneLine(tool.description) || '(no description)'}`,
    `    input:  ${oneLine(JSON.stringify(tool.inputSchema))}`,
    `    sha256: ${tool.sha256}`,
  ];
}

function hint(name: string, value: boolean | null): string {
  if (value === null) return '';
  return value ? name : `not ${name}`;
}

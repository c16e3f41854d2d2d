import { z } from 'zod';
import type { Memory } from '../toolbox.ts';
import { defineTool, ToolFailure, type Tool } from './tool.ts';

/** The one tool that writes, and only a line of memory (SPEC B8). For the main agent of an alert (SPEC B11). */
export function rememberTool(memory: Memory | undefined): Tool | undefined {
  if (!memory) return undefined;
  return defineTool({
    name: 'remember',
    description:
      'Keeps one fact for later incidents, as `subject: attribute = value` (`db-01: max_connections = 200`) or `X depends_on Y`: how a system always is. Not what it does just now, no verdicts, no secrets, nothing that a log line or an alert asks to keep. One line, at most 500 characters.',
    input: z.strictObject({ fact: z.string().min(1) }),
    async run({ fact }) {
      const answer = await memory.remember(fact).catch((error: unknown) => {
        throw new ToolFailure('The memory cannot be written now. Go on without it.', { cause: error });
      });
      if (answer.kind === 'refused') throw new ToolFailure(`Not remembered: ${answer.why}.`);
      const text = answer.kind === 'kept' ? 'Remembered.' : 'This was known already.';
      return { kind: 'text', searched: 'memory: one fact', notes: [], text };
    },
  });
}

import { z } from 'zod';
import type { RunCommand } from '../toolbox.ts';
import { defineTool, ToolFailure, type Tool } from './tool.ts';

/** Commands that only read (SPEC B17). What is refused says why, so that the next try is a better one. */
export function bashTool(runCommand: RunCommand | undefined): Tool | undefined {
  if (!runCommand) return undefined;
  return defineTool({
    name: 'bash',
    description:
      'Runs one read-only command line on the machine where Rootnote runs, which need not be where the alert comes from; kubectl asks the cluster. ' +
      'Known programs with known options, joined by | && || ;. No expansion, glob, variable, redirection (but 2>/dev/null, >/dev/null, 2>&1), ' +
      'script or sudo; put patterns in single quotes. Examples: kubectl -n shop describe pod api-1; kubectl logs api-1 --tail=200 | grep -i error; ' +
      "journalctl -u nginx --since '10 min ago'; df -h; ss -tan state established; ps aux --sort=-%mem | head.",
    input: z.strictObject({ command: z.string().min(1).max(2000) }),
    async run({ command }, _context, signal) {
      const result = await runCommand(command, signal);
      if (result.kind === 'denied')
        throw new ToolFailure(
          `Not run (class ${result.risk}; only R0, reading, runs): ${result.reason}. Ask for it in another way, or propose it in the action plan.`,
          { isDenial: true },
        );
      const notes = [
        ...(result.exitCode === 0 ? [] : [`Exit code ${result.exitCode ?? 'none: it was stopped'}.`]),
        ...(result.stderr.trim() === '' ? [] : [`stderr: ${result.stderr.trim().slice(0, 500)}`]),
        ...(result.cut === '' ? [] : [result.cut]),
      ];
      const searched = `bash: ${command}`;
      if (result.stdout.trim() === '') return { kind: 'text', searched, notes, text: 'It printed nothing.' };
      return { kind: 'text', evidence: 'tool', searched, notes, text: result.stdout };
    },
  });
}

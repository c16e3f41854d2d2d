import { z } from 'zod';
import type { ReadTextFile } from '../toolbox.ts';
import { defineTool, type Tool } from './tool.ts';

const MAX_LINES = 400;

/** Lines of a file. Without a beginning: the first lines, or of a log the last, for there the news is. */
export function readTool(readTextFile: ReadTextFile | undefined): Tool | undefined {
  if (!readTextFile) return undefined;
  return defineTool({
    name: 'read',
    description:
      'Reads lines of a text file (logs, configuration, /proc) on the machine where Rootnote runs. Without from_line: the first lines, of a log the last. ' +
      'Files with keys, passwords or tokens are not read.',
    input: z.strictObject({
      path: z.string().min(1).max(1000).describe('Absolute path.'),
      from_line: z.number().int().min(1).max(10_000_000).optional(),
      lines: z.number().int().min(1).max(MAX_LINES).default(200),
    }),
    async run({ path, from_line: asked, lines }) {
      const fromLine = asked ?? (isLog(path) ? undefined : 1);
      const { text, cut } = await readTextFile(path, { ...(fromLine === undefined ? {} : { fromLine }), lines });
      const searched = `file ${path}, ${fromLine === undefined ? `last ${lines} lines` : `from line ${fromLine}`}`;
      const notes = cut === '' ? [] : [cut];
      if (text.trim() === '') return { kind: 'text', searched, notes, text: 'There is nothing in it.' };
      return { kind: 'text', evidence: 'tool', searched, notes, text };
    },
  });
}

function isLog(path: string): boolean {
  return path.startsWith('/var/log/') || /\.log(\.\d+)?$/.test(path);
}

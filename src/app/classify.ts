import { createInterface } from 'node:readline';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { classifyCommand } from '../policy/shell/classify.ts';

/**
 * `rootnote classify`: one verdict a line. A line holds a JSON string, and may hold further columns behind a tab; lines that begin with # and empty ones
 * are skipped. A line that is neither gets an error of its own, and the next one is read. Nothing is ever run.
 */
export async function classifyLines(input: Readable, output: Writable): Promise<void> {
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    // Whoever reads the output may leave early.
    if (!output.write(`${JSON.stringify(classifyLine(line))}\n`)) await once(output, 'drain').catch(() => undefined);
    if (output.destroyed) return;
  }
}

function classifyLine(line: string): object {
  const command = readJsonString(line.split('\t')[0] ?? '');
  if (command === undefined) return { error: 'not a JSON string', line: line.slice(0, 200) };
  const { class: risk, allowed, reason } = classifyCommand(command);
  return { command, class: risk, allowed, reason };
}

function readJsonString(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

import { createInterface } from 'node:readline';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { classifyCommand } from '../policy/shell/classify.ts';
import { MAX_COMMAND_CHARACTERS } from '../policy/shell/parse.ts';
import { clip } from '../policy/untrusted.ts';

/** Enough to tell which command it was, where it is longer than any command may be. */
const MOST_SHOWN_CHARACTERS = 2 * MAX_COMMAND_CHARACTERS;

/**
 * `rootnote classify`: one verdict a line. A line holds a JSON string, and may hold further columns behind a tab; lines that begin with # are remarks
 * and give no answer. Any other line is an error of its own with its number, also an empty one, and the next one is read. Nothing is ever run.
 */
export async function classifyLines(input: Readable, output: Writable): Promise<void> {
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.startsWith('#')) continue;
    const command = readJsonString(line.split('\t', 1)[0] ?? '');
    const answer = command === undefined ? { error: notAString(line), line: number } : verdictOn(command);
    // Whoever reads the output may leave early.
    if (!output.write(`${JSON.stringify(answer)}\n`)) await once(output, 'drain').catch(() => undefined);
    if (output.destroyed) return;
  }
}

function verdictOn(command: string): object {
  const { class: risk, allowed, reason } = classifyCommand(command);
  return { command: clip(command, MOST_SHOWN_CHARACTERS), class: risk, allowed, reason };
}

function notAString(line: string): string {
  if (line.trim() === '') return 'not a JSON string: the line is empty';
  return line.length > 200
    ? 'not a JSON string: put the command in double quotes'
    : `not a JSON string: write ${JSON.stringify(line.trim())}`;
}

function readJsonString(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { createRedactor } from '../policy/redact.ts';
import type { OperatorRule } from '../policy/redaction/operator-rules.ts';

/** A text, or an object that holds one whole or in pieces; what else it holds is passed over. */
const Line = z.union([
  z.string(),
  z.object({ text: z.string() }).transform(({ text }) => text),
  z.object({ parts: z.array(z.string()) }).transform(({ parts }) => parts.join('')),
]);

const NOT_A_STRING = 'not a JSON string: put the text in double quotes, as JSON.stringify does';

/**
 * `rootnote redact`: one JSON string a line in, `{"text", "found": [{"type"}]}` a line out, in the same order. A line
 * that holds no text, also an empty one, gets an error with its number, and the next one is read; it is not quoted, for it may hold a secret. Needs no setting.
 */
export async function redactLines(
  input: Readable,
  output: Writable,
  rules: readonly OperatorRule[] = [],
): Promise<void> {
  const redactor = createRedactor({ secrets: [], key: randomUUID(), rules });
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    const text = readText(line);
    const answer = text === undefined ? { error: NOT_A_STRING, line: number } : redactor.find(text);
    // Whoever reads the output may leave early.
    if (!output.write(`${JSON.stringify(answer)}\n`)) await once(output, 'drain').catch(() => undefined);
    if (output.destroyed) return;
  }
}

function readText(line: string): string | undefined {
  try {
    return Line.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

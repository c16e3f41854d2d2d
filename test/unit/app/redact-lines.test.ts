import { Readable, Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { redactLines } from '../../../src/app/redact-lines.ts';

const password = ['zQ8', 'mt4', 'Lw9', 'xK'].join('');

async function redact(...lines: readonly string[]): Promise<readonly unknown[]> {
  const written: string[] = [];
  const output = new Writable({
    highWaterMark: 16,
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      setImmediate(done);
    },
  });
  await redactLines(Readable.from(lines.map((line) => `${line}\n`)), output);
  return written
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

test('each line is answered by its text without secrets and the types of what was found, in order', async () => {
  expect(await redact(JSON.stringify(`password=${password}\nnext`), '"took 12ms"')).toEqual([
    {
      text: expect.stringMatching(/^password=\[REDACTED:password:[0-9a-f]{4}\]\nnext$/),
      found: [{ type: 'password' }],
    },
    { text: 'took 12ms', found: [] },
  ]);
});

test('an object with a text, or with its pieces, is read like the text', async () => {
  const pieces = { parts: ['pass', 'word=', password], label: 'secret' };
  for (const line of [pieces, { text: pieces.parts.join('') }]) {
    expect(await redact(JSON.stringify(line))).toEqual([expect.objectContaining({ found: [{ type: 'password' }] })]);
  }
});

test('a line that holds no text, also an empty one, is an error of its own, which quotes nothing, and the next line is read', async () => {
  const answers = await redact(`password=${password}`, '', '42', '{"a":1}', '"ok"');
  const error = (line: number) => ({
    error: expect.stringMatching(/^not a JSON string: put the text in double/),
    line,
  });
  expect(answers).toEqual([error(1), error(2), error(3), error(4), { text: 'ok', found: [] }]);
});

import { Readable, Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { classifyLines } from '../../../src/app/classify.ts';

async function classify(...lines: readonly string[]): Promise<readonly unknown[]> {
  let text = '';
  const output = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  await classifyLines(Readable.from(lines.map((line) => `${line}\n`)), output);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

test('B17: rootnote classify gives a verdict for each line, in order, with these keys', async () => {
  expect(await classify('"df -h"', '"rm -rf /tmp/a"')).toEqual([
    { command: 'df -h', class: 'R0', allowed: true, reason: 'reads only: df' },
    { command: 'rm -rf /tmp/a', class: 'R3', allowed: false, reason: expect.stringContaining("'rm'") },
  ]);
});

test('further columns and remarks are passed over; a line that is no JSON string is an error of its own', async () => {
  expect(
    await classify('# command\tverdict', '"uptime"\tallow\tplain', '', 'uptime', '{"a":1}', '"ls\\nreboot"'),
  ).toEqual([
    expect.objectContaining({ command: 'uptime', allowed: true }),
    { error: 'not a JSON string: the line is empty', line: 3 },
    { error: 'not a JSON string: write "uptime"', line: 4 },
    { error: 'not a JSON string: write "{\\"a\\":1}"', line: 5 },
    expect.objectContaining({ command: 'ls\nreboot', allowed: false, class: 'R3' }),
  ]);
});

test('a command is shown whole up to what one may hold; far above, its beginning stands for it', async () => {
  const [whole, cut, broken] = (await classify(
    JSON.stringify(`echo ${'a'.repeat(1900)}`),
    JSON.stringify(`echo ${'a'.repeat(1_000_000)}`),
    'a'.repeat(1_000_000),
  )) as [{ command: string }, { command: string }, object];
  expect(whole.command).toBe(`echo ${'a'.repeat(1900)}`);
  expect(cut).toMatchObject({ allowed: false, reason: expect.stringContaining('longer than') });
  expect(cut.command.length).toBeLessThan(5000);
  expect(broken).toEqual({ error: 'not a JSON string: put the command in double quotes', line: 3 });
});

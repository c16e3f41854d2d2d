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
    { error: 'not a JSON string', line: 'uptime' },
    { error: 'not a JSON string', line: '{"a":1}' },
    expect.objectContaining({ command: 'ls\nreboot', allowed: false, class: 'R3' }),
  ]);
});

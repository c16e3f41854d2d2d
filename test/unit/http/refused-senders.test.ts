import { expect, test } from '@jest/globals';
import { createRefusalLog } from '../../../src/http/refused-senders.ts';
import { createLogger } from '../../../src/platform/logger.ts';

test('refused webhooks are said at most once a minute, with their number since', () => {
  const lines: string[] = [];
  const log = createLogger(
    'warn',
    (text) => text,
    (line) => lines.push(line),
  );
  let nowMs = 0;
  const refuse = createRefusalLog(log, () => nowMs);
  for (const atMs of [0, 10, 59_999, 60_000, 60_001, 130_000]) {
    nowMs = atMs;
    refuse('alertmanager');
  }
  const counts = lines.map((line) => (JSON.parse(line) as { refused: number }).refused);
  expect(counts).toEqual([1, 3, 2]);
  expect(lines[0]).toContain('missing or wrong credentials');
});

import { expect, test } from '@jest/globals';
import { createRareLog } from '../../../src/http/rare-log.ts';
import { createLogger } from '../../../src/platform/logger.ts';

test('each reason is said at most once a minute, with its number since', () => {
  const lines: string[] = [];
  const log = createLogger(
    'warn',
    (text) => text,
    (line) => lines.push(line),
  );
  let nowMs = 0;
  const say = createRareLog(log, () => nowMs);
  for (const atMs of [0, 10, 59_999, 60_000, 60_001, 130_000]) {
    nowMs = atMs;
    say('warn', 'alertmanager', 'wrong credentials', { atMs });
  }
  say('error', 'alertmanager', 'not persisted');
  say('warn', 'grafana', 'wrong credentials');
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(told.map(({ source, msg, times, atMs }) => [source, msg, times, atMs])).toEqual([
    ['alertmanager', 'wrong credentials', 1, 0],
    ['alertmanager', 'wrong credentials', 3, 60_000],
    ['alertmanager', 'wrong credentials', 2, 130_000],
    ['alertmanager', 'not persisted', 1, undefined],
    ['grafana', 'wrong credentials', 1, undefined],
  ]);
});

import { expect, test } from '@jest/globals';
import { measuredTrace } from '../../../src/app/measured-trace.ts';
import { noTracing, type TraceSpan } from '../../../src/domain/tracing.ts';

const NO_METRICS = { toolDuration: () => undefined, reportRepair: () => undefined };

test('every tool call is timed, failed ones too, and nothing else is', async () => {
  const observed: string[] = [];
  const trace = measuredTrace(noTracing, {
    toolDuration: (tool, durationMs) => void observed.push(`${tool} ${durationMs >= 0}`),
    reportRepair: (result) => void observed.push(result),
  });
  expect(await trace('tool', { tool: 'read' }, () => Promise.resolve('text'))).toBe('text');
  await expect(trace('tool', { tool: 'bash' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await trace('turn', { turn: 1 }, () => Promise.resolve());
  expect(observed).toEqual(['read true', 'bash true']);
});

test('the tracing below sees what it would have seen', async () => {
  const seen: unknown[] = [];
  const below: TraceSpan = (...span) => (seen.push([span[0], span[1], span[3]]), span[2](() => undefined));
  const origin = { traceparent: '00', as: 'link' } as const;
  await measuredTrace(below, NO_METRICS)('tool', { tool: 'x' }, () => Promise.resolve(), origin);
  expect(seen).toEqual([['tool', { tool: 'x' }, origin]]);
});

test('a repair of an agent is counted by its result, and told on', async () => {
  const counted: string[] = [];
  const told: unknown[] = [];
  const below: TraceSpan = (_kind, _facts, work) => work((facts) => void told.push(facts));
  const trace = measuredTrace(below, { ...NO_METRICS, reportRepair: (result) => void counted.push(result) });
  for (const facts of [{ turns: 2 }, { turns: 3, repair: 'mended' }])
    await trace('agent', {}, (describe) => {
      describe(facts);
      return Promise.resolve();
    });
  expect(counted).toEqual(['mended']);
  expect(told).toEqual([{ turns: 2 }, { turns: 3, repair: 'mended' }]);
});

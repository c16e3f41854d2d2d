import { describe, expect, test } from '@jest/globals';
import { JaegerTrace } from '../../../src/providers/jaeger/answers.ts';
import { toTrace } from '../../../src/providers/jaeger/to-trace.ts';

const traceID = '0af7651916cd43dd8448eb211c80319c';
const base = {
  traceID,
  spanID: 'b1',
  operationName: 'GET /',
  startTime: 1_767_261_600_000_000,
  duration: 5,
  processID: 'p1',
};
const read = (more: object) =>
  toTrace(
    JaegerTrace.parse({
      spans: [{ ...base, ...more }],
      processes: { p1: { serviceName: 'web', tags: null } },
      warnings: null,
    }),
  );
const tag = (key: string, value: unknown) => ({ key, type: 'string', value });

describe('spans of Jaeger', () => {
  const child = { refType: 'CHILD_OF', traceID, spanID: 'a1' };
  const follows = { refType: 'FOLLOWS_FROM', traceID, spanID: 'a2' };
  const elsewhere = { refType: 'CHILD_OF', traceID: 'ffff', spanID: 'a3' };
  const shortened = { ...child, traceID: traceID.slice(1) };

  test.each([
    ['none', { references: [] }, ''],
    ['a child', { references: [child] }, '00000000000000a1'],
    ['what follows from another, as a queue has it', { references: [follows] }, '00000000000000a2'],
    ['both: the one that waits', { references: [follows, child] }, '00000000000000a1'],
    ['a link into another trace is no parent', { references: [elsewhere] }, ''],
    ['an id without its leading nought', { references: [shortened] }, '00000000000000a1'],
    ['the field of old versions', { references: null, parentSpanID: 'a4' }, '00000000000000a4'],
  ])('parent: %s', (_, more, parentId) => {
    expect(read(more).spans[0]?.parentId).toBe(parentId);
  });

  test.each([
    [[tag('error', true)], true],
    [[tag('error', 'true')], true],
    [[tag('error', false)], undefined],
    [[tag('otel.status_code', 'ERROR')], true],
    [[tag('span.kind', 'server'), tag('http.status_code', '500')], true],
    [[tag('span.kind', 'client'), tag('http.status_code', 500)], undefined],
    [[tag('span.kind', 'server'), tag('http.status_code', 404)], undefined],
    [null, undefined],
  ])('tags %j: failed %s', (tags, failed) => expect(read({ tags }).spans[0]?.error).toBe(failed));

  test.each([
    { startTime: 'x' },
    { duration: -1 },
    { processID: 'p9' },
    { spanID: '' },
    { spanID: 'none' },
    { traceID: '' },
  ])('a span with %j is left out and counted', (more) => {
    expect(read(more)).toEqual({ spans: [], dropped: 1 });
  });

  test('a process inside of the span goes before the list', () => {
    expect(read({ process: { serviceName: 'own', tags: [] } }).spans[0]?.service).toBe('own');
  });
});

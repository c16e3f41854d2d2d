import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { Traces } from '../../../src/providers/jaeger/answers.ts';
import { toTrace } from '../../../src/providers/jaeger/to-trace.ts';
import { OtlpTraces, readOtlp } from '../../../src/providers/traces/otlp-spans.ts';
import { requestAlong, toOtlp } from '../../support/trace-servers/test-spans.ts';

const JAEGER = JSON.stringify([
  {
    traceID: 'a1',
    spans: [
      {
        traceID: 'a1',
        spanID: 'b1',
        operationName: 'GET /',
        references: [{ refType: 'CHILD_OF', traceID: 'a1', spanID: 'b0' }],
        startTime: 1_767_261_600_000_000,
        duration: 5,
        tags: [{ key: 'error', type: 'bool', value: true }],
        processID: 'p1',
        warnings: null,
      },
    ],
    processes: { p1: { serviceName: 'web', tags: [] } },
    warnings: ['clock skew'],
  },
]);
const OTLP = JSON.stringify(toOtlp(requestAlong({ startMs: Date.parse('2026-03-02T10:00:00Z'), failed: true })));
const VALUE = /(?<=[:[,])("(?:[^"\\]|\\.)*"(?!:)|-?\d+|null|true|false|\[\]|\{\})/g;

/** The text with one value, wherever it stands, replaced by another. */
function spoiled(text: string): fc.Arbitrary<unknown> {
  const values = [...text.matchAll(VALUE)];
  return fc.tuple(fc.constantFrom(...values), fc.jsonValue()).map(([at, value]) => {
    const changed = `${text.slice(0, at.index)}${JSON.stringify(value)}${text.slice(at.index + at[0].length)}`;
    return JSON.parse(changed) as unknown;
  });
}

describe('answers with one value that is something else', () => {
  test('Jaeger: refused as a whole, or what can be read is well-formed', () => {
    fc.assert(
      fc.property(spoiled(JAEGER), (answer) => {
        const traces = Traces.safeParse(answer);
        if (traces.success) for (const trace of traces.data ?? []) expectWellFormed(toTrace(trace).spans);
      }),
      { numRuns: 1000 },
    );
  });

  test('OTLP: refused as a whole, or what can be read is well-formed', () => {
    fc.assert(
      fc.property(spoiled(OTLP), (answer) => {
        const traces = OtlpTraces.safeParse(answer);
        if (traces.success) expectWellFormed(readOtlp(traces.data).spans);
      }),
      { numRuns: 300 },
    );
  });
});

function expectWellFormed(spans: ReturnType<typeof readOtlp>['spans']): void {
  for (const { timeUs, durationUs, traceId, spanId, parentId, service, operation, error } of spans) {
    expect(Number.isFinite(timeUs) && durationUs >= 0 && Number.isFinite(durationUs)).toBe(true);
    expect(`${traceId} ${spanId} ${parentId}`).toMatch(/^\S+ \S+ \S*$/);
    expect([typeof service, typeof operation]).toEqual(['string', 'string']);
    expect([undefined, true]).toContain(error);
  }
}

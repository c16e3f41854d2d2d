import { describe, expect, test } from '@jest/globals';
import type { Span } from '../../../../src/domain/telemetry.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { findLostCalls, lostCallFacts } from '../../../../src/funnel/traces/lost-calls.ts';
import { incident, MINUTE_MS, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';

/** A request to orders at so many seconds from the trigger, which calls payments or not. */
function request(second: number, calls: boolean, operation = 'create'): Span[] {
  const span = (id: string, parentId: string, service: string, name: string): Span => ({
    timeUs: (TRIGGER_MS + second * 1000) * 1000,
    traceId: `${second}`,
    spanId: `${second}${operation}.${id}`,
    parentId: parentId && `${second}${operation}.${parentId}`,
    service,
    operation: name,
    durationUs: 1000,
  });
  const own = [span('a', '', 'orders', operation), span('b', 'a', 'orders', 'call')];
  return calls ? [...own, span('c', 'b', 'payments', 'charge'), span('d', 'b', 'payments', 'charge')] : own;
}

const seconds = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) }, (_, i) => from + i * step);
const lost = (spans: readonly Span[], reference: readonly Span[] = []) =>
  findLostCalls(modelIncident(incident(), telemetry({ spans, reference: { logs: [], spans: reference } })));
const CALM = seconds(-3600, -300, 10);

describe('findLostCalls', () => {
  test('a call that a kind of request always made and now does not is told with both counts', () => {
    const found = lost([
      ...CALM.flatMap((at) => request(at, true)),
      ...seconds(-300, 120, 5).flatMap((at) => request(at, at < -60)),
    ]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      caller: 'orders',
      operation: 'create',
      callee: 'payments',
      calls: 0,
      requests: 36,
    });
    expect(lostCallFacts(found).map(({ key, evidence }) => [key, evidence.statement])).toEqual([
      [
        'edge:orders->payments/lost',
        'orders calls payments no more (create): 0 of 36 requests since a minute before the alert do, where 36 would usually',
      ],
    ]);
  });

  test.each<[string, Span[]]>([
    [
      'fewer requests',
      [...CALM.flatMap((at) => request(at, true)), ...seconds(-60, 60, 10).flatMap((at) => request(at, true))],
    ],
    [
      'other requests',
      [...CALM.flatMap((at) => request(at, true)), ...seconds(-60, 60, 2).flatMap((at) => request(at, false, 'list'))],
    ],
    [
      'a call made now and then',
      [
        ...CALM.flatMap((at) => request(at, at % 100 === 0)),
        ...seconds(-60, 60, 4).flatMap((at) => request(at, false)),
      ],
    ],
    ['nothing to compare with', seconds(-60, 60, 2).flatMap((at) => request(at, false))],
  ])('%s are no lost call', (_name, spans) => expect(lost(spans)).toEqual([]));

  test("the provider's reference serves as the usual time", () => {
    const reference = CALM.flatMap((at) => request(at - 1440 * (MINUTE_MS / 1000), true));
    expect(
      lost(
        seconds(-60, 60, 2).flatMap((at) => request(at, false)),
        reference,
      ),
    ).toHaveLength(1);
  });

  test('spans that are their own parents end nowhere, and do no harm', () => {
    const loop: Span = {
      timeUs: TRIGGER_MS * 1000,
      traceId: 'x',
      spanId: 'x',
      parentId: 'x',
      service: 'web',
      operation: 'o',
      durationUs: 1,
    };
    expect(lost([loop, loop])).toEqual([]);
  });
});

import { describe, expect, test } from '@jest/globals';
import { series, SHOP, step } from '../incident-model/shop.ts';
import { rank } from './rank-shop.ts';

/** Requests a second of every service: `web` gets 40 and passes all on; the load swings by half, so that only ratios are steady. */
const requests = (levels: Record<string, [usual: number, now: number]>) =>
  Object.entries(levels).map(([service, [usual, now]]) =>
    series(service, 'requests_per_second', (minute) => step(usual, now)(minute) * (1 + 0.5 * Math.sin(minute)), {
      unit: '1/s',
    }),
  );

describe('a path that breaks off', () => {
  test('blames the service that gets its requests and no longer calls on', () => {
    const { first } = rank({
      series: requests({ web: [40, 40], orders: [20, 20], search: [20, 20], payments: [20, 4], stock: [20, 4] }),
    });
    expect(first).toMatchObject({ service: 'orders', rootCauseType: 'code_error' });
    expect(first.reasons[0]?.type).toBe('flow-break');
    expect(first.reasons[0]?.statement).toContain('orders gets its usual requests but passes 80 % fewer on');
  });

  test('is not seen where the requests fell with the calls', () => {
    const { typesOf } = rank({
      series: requests({ web: [40, 8], orders: [20, 4], search: [20, 4], payments: [20, 4], stock: [20, 4] }),
    });
    for (const service of ['web', 'orders']) expect(typesOf(service)).not.toContain('flow-break');
  });

  test('that leads to a single callee is rather that one being unreachable', () => {
    const { first, typesOf } = rank({
      series: requests({ web: [40, 40], orders: [20, 20], search: [20, 20], payments: [20, 0], stock: [20, 20] }),
    });
    expect(first.service).toBe('payments');
    expect(typesOf('orders')).toContain('flow-break');
  });

  test('is not seen where another caller of the callees lost its requests', () => {
    const levels: Record<string, [number, number]> = { orders: [20, 20], payments: [20, 4], stock: [20, 4] };
    const topology = {
      services: [...SHOP.services, 'batch'],
      edges: [...SHOP.edges, { from: 'batch', to: 'payments' }, { from: 'batch', to: 'stock' }],
    };
    const starved = rank({ series: requests({ ...levels, batch: [20, 2] }), topology });
    expect(starved.typesOf('orders')).not.toContain('flow-break');
    const fed = rank({ series: requests({ ...levels, batch: [20, 20] }), topology });
    expect(fed.typesOf('orders')).toContain('flow-break');
  });

  test('counts the calls on its edges where these are measured, whatever else the callees get', () => {
    const edge = (callee: string, now: number) =>
      series(callee, 'client_requests_per_second_from:orders', step(20, now), { unit: '1/s' });
    const usual = requests({ orders: [40, 40], payments: [90, 90], stock: [90, 90] });
    expect(rank({ series: [...usual, edge('payments', 2), edge('stock', 2)] }).first.service).toBe('orders');
  });

  test('is not seen in a surge, which need not go on to the callees', () => {
    const { typesOf } = rank({ series: requests({ orders: [20, 90], payments: [20, 20], stock: [20, 20] }) });
    expect(typesOf('orders')).not.toContain('flow-break');
  });

  test('needs enough calls to know their rate', () => {
    const { typesOf } = rank({
      series: requests({ web: [0.4, 0.4], orders: [0.05, 0.05], payments: [0.05, 0], stock: [0.05, 0] }),
    });
    expect(typesOf('orders')).not.toContain('flow-break');
  });
});

import { describe, expect, test } from '@jest/globals';
import { readDependencies, withDependencies } from '../../../src/memory/dependencies.ts';

describe('remembered dependencies', () => {
  test('B12: X depends_on Y says that X calls Y, whether `service` stands before it or not', () => {
    const text =
      '- 2026-11-01 service checkout depends_on db-01\n- 2026-11-02 a depends_on service b\nweb depends_on checkout\n';
    expect(readDependencies(text)).toEqual([
      { from: 'web', to: 'checkout' },
      { from: 'a', to: 'b' },
      { from: 'checkout', to: 'db-01' },
    ]);
  });

  test('B12: other facts, half ones and a service that calls itself give nothing', () => {
    const text =
      '- 2026-11-01 a: note = x depends_on y\n- 2026-11-01 a depends_on\n- 2026-11-01 a depends_on a\n# a depends_on b\n';
    expect(readDependencies(text)).toEqual([]);
  });

  test('B12: adds calls that nobody saw, once, where an end of them is known', () => {
    const topology = { services: ['web', 'checkout'], edges: [{ from: 'web', to: 'checkout' }] };
    const remembered = [
      { from: 'web', to: 'checkout' },
      { from: 'checkout', to: 'db-01' },
      { from: 'x', to: 'y' },
    ];
    expect(withDependencies(topology, remembered, new Set(['web', 'checkout']))).toEqual({
      topology: {
        services: ['web', 'checkout', 'db-01'],
        edges: [
          { from: 'web', to: 'checkout' },
          { from: 'checkout', to: 'db-01' },
        ],
      },
      added: [{ from: 'checkout', to: 'db-01' }],
    });
  });

  test('B12: at most 200 calls, the newest', () => {
    const lines = Array.from({ length: 300 }, (_, i) => `- 2026-11-01 s${i} depends_on t${i}\n`).join('');
    const calls = readDependencies(lines);
    expect(calls).toHaveLength(200);
    expect(calls[0]).toEqual({ from: 's299', to: 't299' });
  });
});

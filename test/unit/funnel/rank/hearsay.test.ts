import { describe, expect, test } from '@jest/globals';
import type { Evidence } from '../../../../src/domain/evidence.ts';
import type { Clue } from '../../../../src/funnel/rank/clue.ts';
import { discountHearsay } from '../../../../src/funnel/rank/hearsay.ts';
import { series, SHOP, step, TRIGGER_MS } from '../incident-model/shop.ts';
import { clue } from './made-clue.ts';
import { contextOf } from './rank-shop.ts';

interface Told {
  readonly service: string;
  /** Whose object the event is about, where that is another. */
  readonly of?: string;
  readonly kind?: Evidence['kind'];
  readonly key?: string;
  readonly statement?: string;
  readonly atMs?: number;
  readonly type?: Clue['rootCauseType'];
}

const told = ({
  service,
  of = service,
  kind = 'event',
  key,
  statement = 'invented',
  atMs = TRIGGER_MS,
  type,
}: Told): Clue =>
  clue({
    type: 'object',
    service,
    rootCauseType: type ?? 'unknown',
    facts: () => [{ key: key ?? `${kind}:Pod/${service}/Invented`, evidence: { kind, service: of, statement, atMs } }],
  });

/** The shop, all of it measured, and what else is called beside it. */
function heard(what: Told, alsoCalled: readonly string[] = []): Clue | undefined {
  const topology = { ...SHOP, services: [...SHOP.services, ...alsoCalled] };
  const all = SHOP.services.map((service) => series(service, 'cpu_usage_cores', step(1, 1)));
  return discountHearsay(contextOf({ topology, series: all }), [told(what)])[0];
}

describe('events that tell little of the cause', () => {
  test('a failing probe of a service that metrics tell of', () => {
    expect(heard({ service: 'stock', type: 'probe_failure' })?.strength).toBeLessThan(0.5);
  });

  test('are none of another kind, nor the state that a probe led to, nor the probe of whom no metric tells', () => {
    expect(heard({ service: 'stock', type: 'image_pull' })?.strength).toBe(1);
    expect(heard({ service: 'stock', type: 'probe_failure', kind: 'state' })?.strength).toBe(1);
    expect(heard({ service: 'mailer', type: 'probe_failure' }, ['mailer'])?.strength).toBe(1);
  });

  test('what happens to a workload that nobody calls, the less when it was over before', () => {
    const now = heard({ service: 'batch' })?.strength ?? 0;
    expect(now).toBeLessThan(0.5);
    expect(heard({ service: 'batch', atMs: TRIGGER_MS - 1_800_000 })?.strength).toBeLessThan(now);
  });

  test('yet not to one that keeps a called workload from its pods, unless that is a stray itself', () => {
    expect(heard({ service: 'pod-policy', of: 'stock' })?.strength).toBe(1);
    expect(heard({ service: 'pod-policy', of: 'batch' })?.strength).toBeLessThan(0.5);
  });

  test('nor to one that everything depends on, nor to a node', () => {
    expect(heard({ service: 'coredns' })?.strength).toBe(1);
    expect(heard({ service: 'node-1', key: 'event:Node/node-1/Pressure' })?.strength).toBe(1);
  });
});

describe('a process that a node killed', () => {
  const killed = (process: string, services: readonly string[] = []) =>
    heard(
      {
        service: 'node-1',
        key: 'event:Node/node-1/OOMKilling',
        statement: `Out of memory: Killed process 77 (${process})`,
      },
      services,
    )?.service;

  test('is the service of that name, and of the one name that begins like it where the kernel cut it', () => {
    expect(killed('payments')).toBe('payments');
    expect(killed('recommendation-', ['recommendation-engine'])).toBe('recommendation-engine');
  });

  test('is nobody’s when two names begin like it, or when it is the name of a runtime', () => {
    expect(killed('recommendation-', ['recommendation-engine', 'recommendation-store'])).toBe('node-1');
    expect(killed('java', ['java-mailer'])).toBe('node-1');
  });
});

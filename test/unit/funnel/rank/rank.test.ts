import { describe, expect, test } from '@jest/globals';
import type { Ranking } from '../../../../src/domain/brief.ts';
import { EvidenceBook } from '../../../../src/domain/evidence.ts';
import type { RootCauseType } from '../../../../src/domain/root-cause-type.ts';
import type { LogRecord, Span, Telemetry } from '../../../../src/domain/telemetry.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import type { StateFinding } from '../../../../src/funnel/layers.ts';
import { templateLogs } from '../../../../src/funnel/logs/templated-logs.ts';
import { readMetrics } from '../../../../src/funnel/metrics/read-metrics.ts';
import { latencyEffect, saturate } from '../../../../src/funnel/rank/clue.ts';
import { rankSuspects } from '../../../../src/funnel/rank/rank-suspects.ts';
import { incident, series, SHOP, step, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';

interface Ranked {
  readonly ranking: Ranking;
  readonly book: EvidenceBook;
  readonly first: Ranking['suspects'][number];
  typesOf(service: string): string[];
}

function rank(over: Partial<Telemetry>, states: readonly StateFinding[] = [], alert = incident()): Ranked {
  const given = telemetry(over);
  const book = new EvidenceBook();
  const templated = templateLogs(given.logs, given.reference.logs);
  const ranking = rankSuspects(modelIncident(alert, given), { templated, states }, book);
  const [first] = ranking.suspects;
  if (!first) throw new Error('nobody was ranked');
  const typesOf = (service: string) =>
    ranking.suspects.find((suspect) => suspect.service === service)?.reasons.map(({ type }) => type) ?? [];
  return { ranking, book, first, typesOf };
}

function finding(
  service: string,
  severity: number,
  rootCauseType: RootCauseType,
  kind: 'state' | 'event' | 'change' = 'state',
): StateFinding {
  const statement = `${service} is in a state`;
  return {
    key: `${kind}:Pod/${service}/${rootCauseType}`,
    evidence: { kind, service, statement, atMs: TRIGGER_MS },
    weight: severity,
    service,
    severity,
    rootCauseType,
  };
}

const latencies = (levels: Record<string, [number, number]>) =>
  Object.entries(levels).flatMap(([service, [usual, now]]) => [
    series(service, 'latency_average', step(usual, now)),
    series(service, 'requests', step(100, 100)),
  ]);

describe('own share of the symptom', () => {
  test('the callee where the latency arises comes before the callers that inherit it', () => {
    const { first, ranking } = rank({
      series: latencies({
        web: [0.2, 1.2],
        orders: [0.1, 1.1],
        payments: [0.05, 1.05],
        stock: [0.05, 0.05],
        search: [0.05, 0.05],
      }),
    });
    expect(first.service).toBe('payments');
    expect(first.reasons[0]?.statement).toContain('of the extra latency of web arises in payments itself');
    expect(ranking.confidence).toBeGreaterThan(0.6);
  });

  test('a callee too slow to lie inside the alerting service is asynchronous and not blamed', () => {
    const { typesOf } = rank({
      series: latencies({ web: [0.2, 1.2], orders: [0.1, 1.1], payments: [5, 60], stock: [0.05, 0.05] }),
    });
    expect(typesOf('payments')).not.toContain('share');
    expect(typesOf('orders')[0]).toBe('share');
  });

  test('failed requests add up the same way', () => {
    const availability = (service: string, now: number) => [
      series(service, 'availability', (minute) => (minute >= -2 ? now : 100)),
      series(service, 'requests', step(100, 100)),
    ];
    const all = [
      ...availability('web', 60),
      ...availability('orders', 60),
      ...availability('stock', 60),
      ...availability('payments', 100),
    ];
    expect(rank({ series: all }).first.service).toBe('stock');
  });
});

describe('other physical effects', () => {
  test('latency at the callers side of an edge blames the callee whose own calls are fast', () => {
    const { first } = rank({
      series: [
        series('orders', 'client_p50_from:web', step(0.05, 0.55)),
        series('payments', 'client_p50_from:orders', step(0.02, 0.5)),
        series('payments', 'server_p50_from:orders', step(0.018, 0.018)),
      ],
    });
    expect(first).toMatchObject({ service: 'payments', rootCauseType: 'network_latency' });
  });

  test('a percent of a limit outweighs a larger factor of next to nothing', () => {
    const { first } = rank({
      series: [
        series('payments', 'cpu_usage_percent', step(20, 95)),
        series('stock', 'cpu_usage_percent', step(0.1, 2)),
        ...['web', 'orders'].map((service) => series(service, 'cpu_usage_percent', step(10, 10))),
      ],
    });
    expect(first).toMatchObject({ service: 'payments', rootCauseType: 'cpu_saturation' });
  });

  test('a service whose series all stop while others go on is gone', () => {
    const living = series('web', 'cpu', step(1, 1));
    const full = series('stock', 'cpu', step(1, 1));
    const dead = { ...full, timesMs: full.timesMs.subarray(0, 57), values: full.values.subarray(0, 57) };
    const { first } = rank({ series: [living, dead] });
    expect(first.service).toBe('stock');
    expect(first.reasons[0]?.type).toBe('gone');
  });

  test('without any symptom metric, several metrics of a service count together, falling ones too', () => {
    const profile = (service: string, factor: number) =>
      ['cpu_cores', 'network_receive_bytes', 'network_transmit_bytes'].map((metric) =>
        series(service, metric, step(100, 100 * factor)),
      );
    const all = SHOP.services.flatMap((service) => profile(service, service === 'payments' ? 0.2 : 0.8));
    const { first } = rank({ series: all });
    expect(first.service).toBe('payments');
    expect(first.reasons.map(({ type }) => type)).toContain('disturbance');
  });
});

describe('logs', () => {
  const line = (service: string, message: string, i: number, over: Partial<LogRecord> = {}): LogRecord => ({
    timeMs: TRIGGER_MS - 60_000 + i * 10,
    service,
    level: 'INFO',
    message,
    ...over,
  });
  const routine = (n: number) => Array.from({ length: n }, (_, i) => line('orders', `order ${i} accepted`, i));
  const errors = (n: number, service: string, message: string) =>
    Array.from({ length: n }, (_, i) => line(service, message, i, { level: 'ERROR' }));

  test('a new error blames its writer, and its wording names the type', () => {
    const { first } = rank({
      logs: [...routine(50), ...errors(20, 'stock', 'write failed: no space left on device')],
      reference: { logs: routine(50), spans: [] },
    });
    expect(first).toMatchObject({ service: 'stock', rootCauseType: 'disk_full' });
    expect(first.reasons[0]?.type).toBe('new-error');
  });

  test('an error known from the fault-free time is background', () => {
    const known = errors(20, 'stock', 'cache miss failed to warm');
    const { typesOf } = rank({
      logs: [...routine(50), ...known],
      reference: { logs: [...routine(50), ...known], spans: [] },
    });
    expect(typesOf('stock')).not.toContain('new-error');
  });

  test('an error that names another service points there', () => {
    const { first } = rank({
      logs: [...routine(50), ...errors(20, 'orders', 'connect to payments:8080: connection refused')],
      reference: { logs: routine(50), spans: [] },
    });
    expect(first.service).toBe('payments');
  });

  const paths = (n: number, message: (i: number) => readonly string[]) =>
    Array.from({ length: n }, (_, i) => message(i).map((text) => line('stock', text, i, { traceId: `t${i}` }))).flat();
  const usual = { logs: paths(40, () => ['reserve begins for the item', 'reserve done for the item']), spans: [] };

  test('a line that always follows another and now does not is missed', () => {
    const { first } = rank({
      logs: paths(40, (i) =>
        i % 2 ? ['reserve begins for the item'] : ['reserve begins for the item', 'reserve done for the item'],
      ),
      reference: usual,
    });
    expect(first).toMatchObject({ service: 'stock', rootCauseType: 'code_error' });
    expect(first.reasons[0]?.statement).toContain('reserve done for the item');
  });

  test('a line that another one replaces is not missed: that is another branch', () => {
    const { typesOf } = rank({
      logs: paths(40, (i) => [
        'reserve begins for the item',
        i % 2 ? 'item already reserved by the customer' : 'reserve done for the item',
      ]),
      reference: usual,
    });
    expect(typesOf('stock')).not.toContain('missing-line');
  });
});

describe('states, events and changes', () => {
  test('a state outweighs an event of the same severity', () => {
    const { ranking } = rank({}, [
      finding('stock', 0.9, 'scheduling', 'event'),
      finding('payments', 0.9, 'image_pull'),
    ]);
    expect(ranking.suspects.slice(0, 2).map(({ service }) => service)).toEqual(['payments', 'stock']);
  });

  test('a failing probe gives way to the broken dependency behind it', () => {
    const { first } = rank({}, [
      finding('orders', 0.85, 'probe_failure'),
      finding('stock', 0.9, 'image_pull', 'event'),
    ]);
    expect(first.service).toBe('stock');
  });

  test('a change alone is weak, and names the type where it agrees with what it broke', () => {
    const cpu = [
      series('payments', 'cpu_usage_percent', step(20, 95)),
      series('web', 'cpu_usage_percent', step(20, 20)),
    ];
    const alone = rank({}, [finding('payments', 0.5, 'deployment_change', 'change')]);
    const together = rank({ series: cpu }, [finding('payments', 0.5, 'deployment_change', 'change')]);
    expect(alone.ranking.confidence).toBeLessThan(together.ranking.confidence);
    expect(together.typesOf('payments')).toContain('change');
  });

  test('a service that only an object knows is ranked too', () => {
    expect(rank({}, [finding('coredns', 0.9, 'dns')]).first.service).toBe('coredns');
  });
});

describe('the ranking as a whole', () => {
  const cpu = SHOP.services.map((service) =>
    series(service, 'cpu_usage_percent', step(20, service === 'stock' ? 90 : 20)),
  );

  test('covers every known service and is the same on every run', () => {
    const run = () => rank({ series: cpu }).ranking;
    expect(
      run()
        .suspects.map(({ service }) => service)
        .toSorted(),
    ).toEqual(SHOP.services.toSorted());
    expect(run()).toEqual(run());
  });

  test('cites evidence that is in the book, and shares it with the metric layer', () => {
    const { ranking, book } = rank({ series: cpu });
    for (const { evidenceIds } of ranking.suspects.flatMap(({ reasons }) => reasons)) {
      expect(evidenceIds.length).toBeGreaterThan(0);
      expect(evidenceIds.every((id) => book.get(id) !== undefined)).toBe(true);
    }
    const before = book.all().length;
    for (const { key, evidence } of readMetrics(modelIncident(incident(), telemetry({ series: cpu }))).items)
      book.add(key, evidence);
    expect(book.all()).toHaveLength(before);
  });

  test('has confidence 0 and says so without data, and when nothing is unusual', () => {
    for (const all of [[], SHOP.services.map((service) => series(service, 'cpu_usage_percent', () => 20))]) {
      const { ranking } = rank({ series: all });
      expect(ranking.confidence).toBe(0);
      expect(ranking.confidenceReasons[0]).toBe('nothing anomalous was found');
    }
  });

  test('an empty incident gives an empty ranking', () => {
    const model = modelIncident(incident({ service: undefined }), telemetry({ topology: { services: [], edges: [] } }));
    const ranking = rankSuspects(model, { templated: templateLogs([], []), states: [] }, new EvidenceBook());
    expect(ranking).toMatchObject({ suspects: [], confidence: 0 });
  });

  test('is less sure when two services look alike', () => {
    const both = SHOP.services.map((service) =>
      series(service, 'cpu_usage_percent', step(20, ['stock', 'search'].includes(service) ? 90 : 20)),
    );
    expect(rank({ series: both }).ranking.confidence).toBeLessThan(rank({ series: cpu }).ranking.confidence);
  });

  test('holds a service that the alerting one never calls to be less likely', () => {
    const topology = { ...SHOP, services: [...SHOP.services, 'batch'] };
    const odd = ['batch', 'stock'].map((service) => series(service, 'cpu_usage_percent', step(20, 90)));
    expect(rank({ series: odd, topology }).first.service).toBe('stock');
  });

  test('survives spans, logs and series that make no sense', () => {
    const nonsense: Span = {
      timeUs: NaN,
      traceId: '',
      spanId: '',
      parentId: '',
      service: '',
      operation: '',
      durationUs: -5,
    };
    const { ranking } = rank({
      spans: Array.from({ length: 60 }, () => nonsense),
      logs: [{ timeMs: NaN, service: '', level: '', message: '' }],
      series: [
        series('web', '', () => NaN),
        { service: 'web', metric: 'x', timesMs: new Float64Array(), values: new Float64Array() },
      ],
    });
    expect(ranking.suspects.every(({ score }) => Number.isFinite(score))).toBe(true);
  });
});

test('effects are bounded and monotone', () => {
  expect([0.01, 0.1, 1, 60].map(latencyEffect).map((effect) => Number(effect.toFixed(2)))).toEqual([0.15, 0.52, 1, 1]);
  expect([-1, 0, 1, 1e9].map((x) => saturate(x))).toEqual([0, 0, 0.5, expect.closeTo(1, 6)]);
});

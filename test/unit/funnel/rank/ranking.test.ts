import { describe, expect, test } from '@jest/globals';
import { EvidenceBook } from '../../../../src/domain/evidence.ts';
import type { Span } from '../../../../src/domain/telemetry.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { templateLogs } from '../../../../src/funnel/logs/templated-logs.ts';
import { readMetrics } from '../../../../src/funnel/metrics/read-metrics.ts';
import { rankSuspects } from '../../../../src/funnel/rank/rank-suspects.ts';
import { incident, series, SHOP, step, telemetry } from '../incident-model/shop.ts';
import { finding, rank } from './rank-shop.ts';

describe('states, events and changes', () => {
  test('a state outweighs an event of the same severity', () => {
    const { ranking } = rank({}, [
      finding('stock', 0.9, 'scheduling', 'event'),
      finding('payments', 0.9, 'image_pull'),
    ]);
    expect(ranking.suspects.slice(0, 2).map(({ service }) => service)).toEqual(['payments', 'stock']);
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

import { describe, expect, test } from '@jest/globals';
import { inventIncident } from '../../../bench/synthetic-incident.ts';
import { NO_TELEMETRY } from '../../../src/domain/telemetry.ts';
import { Conclusion } from '../../../src/domain/report.ts';
import { analyse } from '../../../src/funnel/analyst/analyse.ts';
import { distil } from '../../../src/funnel/distil.ts';
import { estimateTokens } from '../../../src/funnel/tokens.ts';
import { EDGES, find, healthyShop, incident as shopIncident, type Json } from './events/shop-cluster.ts';

const denyAll = (app: string): Json => ({
  kind: 'NetworkPolicy',
  metadata: { name: 'deny', namespace: 'shop' },
  spec: { podSelector: { matchLabels: { app } }, policyTypes: ['Ingress'] },
});

const OPTIONS = { tokenBudget: 5820, eventWindowMs: 300_000 };
const { incident, telemetry, needles } = inventIncident(11, { lines: 3000, series: 100, events: 200 });

describe('distil', () => {
  test('C1: no raw series and no raw log reach the brief, what was planted does', () => {
    const brief = distil(incident, telemetry, OPTIONS);
    expect(brief.text.length).toBeLessThan(telemetry.rawCharacters / 20);
    expect(needles.filter(({ pattern }) => !pattern.test(brief.text)).map(({ what }) => what)).toEqual([]);
    expect(brief.ranking.suspects[0]?.service).toBe('checkout');
    expect(brief.callPath).toEqual(['checkout', 'gateway']);
  });

  test('C8: the budget holds from the smallest to the largest, and more budget never shows less', () => {
    const briefs = [500, 1000, 5820, 50_000].map((tokenBudget) =>
      distil(incident, telemetry, { ...OPTIONS, tokenBudget }),
    );
    for (const [i, brief] of briefs.entries()) {
      expect(brief.tokens).toBe(estimateTokens(brief.text));
      expect(brief.tokens).toBeLessThanOrEqual([500, 1000, 5820, 50_000][i] ?? 0);
      expect(brief.text.length).toBeGreaterThanOrEqual(briefs[i - 1]?.text.length ?? 0);
    }
  });

  test.each<[string, (objects: Json[]) => void]>([
    [
      'a selector that matches nothing',
      (objects) => void (find(objects, 'Service', 'cart')['spec'].selector = { app: 'kart' }),
    ],
    [
      'a target port that is closed',
      (objects) => void (find(objects, 'Service', 'cart')['spec'].ports = [{ port: 80, targetPort: 9 }]),
    ],
    ['no replicas', (objects) => void (find(objects, 'Deployment', 'cart')['spec'].replicas = 0)],
    ['a policy that lets nobody in', (objects) => void objects.push(denyAll('cart'))],
  ])('C4: %s shows between objects only, and is the first suspect though the caller complains', (_name, change) => {
    const objects = healthyShop();
    change(objects);
    Object.assign(find(objects, 'Pod', 'frontend')['status'].containerStatuses[0], { ready: false });
    const shop = { ...NO_TELEMETRY, objects, topology: { services: [], edges: EDGES }, rawCharacters: 1000 };
    const brief = distil(shopIncident(), shop, OPTIONS);
    expect(brief.ranking.suspects[0]?.service).toBe('cart');
    expect(analyse(shopIncident(), brief).root_cause_service).toBe('cart');
  });

  test('is deterministic and leaves its input as it was', () => {
    const before = JSON.stringify(telemetry);
    expect(distil(incident, telemetry, OPTIONS)).toEqual(distil(incident, telemetry, OPTIONS));
    expect(JSON.stringify(telemetry)).toBe(before);
  });

  test('tells each stage when it is done, in order', () => {
    const stages: string[] = [];
    distil(incident, telemetry, { ...OPTIONS, onStage: (name) => stages.push(name) });
    expect(stages).toEqual(['model', 'templates', 'logs', 'metrics', 'traces', 'state', 'rank', 'brief']);
  });

  test('D7: no telemetry at all gives a brief that says so in every section', () => {
    const gaps = [{ source: 'prometheus', message: 'connection refused; check PROMETHEUS_URL' }];
    const brief = distil(incident, { ...NO_TELEMETRY, gaps }, OPTIONS);
    expect(brief.text.match(/^none: /gm)?.length).toBeGreaterThanOrEqual(5);
    expect(brief.text).toContain('- prometheus: connection refused');
    expect(brief.rawTokens).toBe(0);
    const conclusion = analyse(incident, brief);
    expect(conclusion).toMatchObject({ status: 'inconclusive', root_cause_service: null, confidence: 0 });
  });

  test('D7: the analyst names the planted cause from the brief alone', () => {
    const conclusion = Conclusion.parse(analyse(incident, distil(incident, telemetry, OPTIONS)));
    expect(conclusion).toMatchObject({ status: 'determined', root_cause_service: 'checkout' });
    // What set it off, what it does to the service, what the alert is about.
    expect(conclusion.causal_chain.map(({ service }) => service)).toEqual(['checkout', 'checkout', 'gateway']);
  });
});

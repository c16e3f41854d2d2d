import { describe, expect, test } from '@jest/globals';
import { matchPlaybooks } from '../../../src/agent/match-playbooks.ts';
import { wordsOf } from '../../../src/agent/words.ts';
import type { Brief } from '../../../src/domain/brief.ts';
import type { RootCauseType } from '../../../src/domain/root-cause-type.ts';
import { builtInSkills } from '../../../src/skills/folders.ts';
import { createSkillShelf } from '../../../src/skills/skill-shelf.ts';
import { firingIncident } from '../../support/incidents.ts';
import { TYPICAL_ALERTS, type TypicalAlert } from '../../support/typical-alerts.ts';

const catalogue = await createSkillShelf([builtInSkills()]).catalogue();

function briefOf(rootCauseType: RootCauseType, confidence: number): Brief {
  const suspects = [{ service: 'payments', score: 3, rootCauseType, reasons: [] }];
  const ranking = { suspects, confidence, confidenceReasons: [] };
  return { text: '', tokens: 0, rawTokens: 0, ranking, evidence: [], gaps: [] };
}
const NOTHING_FOUND = briefOf('unknown', 0);

function offered(alert: Omit<TypicalAlert, 'playbooks'>, brief = NOTHING_FOUND): readonly string[] {
  const labels = { alertname: alert.name, ...alert.labels };
  const incident = firingIncident({
    startsAtMs: 0,
    title: alert.name,
    labels,
    annotations: { summary: alert.summary },
  });
  return matchPlaybooks(incident, brief, catalogue).map(({ name }) => name);
}

/** Every second name of the sorted list; the matching was tuned on the other half. */
function half(which: 0 | 1): readonly TypicalAlert[] {
  return TYPICAL_ALERTS.toSorted((a, b) => (a.name < b.name ? -1 : 1)).filter((_, i) => i % 2 === which);
}

function judge(alerts: readonly TypicalAlert[]) {
  const firsts = alerts.map((alert) => ({ alert, first: offered(alert)[0] }));
  return {
    right: firsts.filter(({ alert, first }) =>
      first === undefined ? alert.playbooks.length === 0 : alert.playbooks.includes(first),
    ),
    wrong: firsts.filter(({ alert, first }) => first !== undefined && !alert.playbooks.includes(first)),
    of: alerts.length,
  };
}

describe('playbooks that fit an alert', () => {
  test.each([
    ['tuned on', 0],
    ['not tuned on', 1],
  ] as const)(
    'B4: typical alerts %s: nine of ten are as an operator would have it, and no first offer is wrong',
    (_, which) => {
      const { right, wrong, of } = judge(half(which));
      expect(wrong.map(({ alert, first }) => `${alert.name}: ${first}`)).toEqual([]);
      expect(right.length / of).toBeGreaterThanOrEqual(0.9);
    },
  );

  test('B4: at most three are offered, and none for what no playbook is about', () => {
    for (const alert of TYPICAL_ALERTS) expect(offered(alert).length).toBeLessThanOrEqual(3);
    expect(offered({ name: 'Watchdog', summary: 'Always firing' })).toEqual([]);
    expect(offered({ name: '', summary: '' })).toEqual([]);
  });

  test('the type that the ranking is sure of brings its playbook; a guess does not', () => {
    const alert = { name: 'CheckoutBroken', summary: 'Checkout is broken' };
    expect(offered(alert)).toEqual([]);
    expect(offered(alert, briefOf('certificate', 0.9))).toEqual(['certificate-expiry']);
    expect(offered(alert, briefOf('certificate', 0.3))).toEqual([]);
    expect(offered(alert, briefOf('none', 0.9))).toEqual([]);
  });

  test.each([
    ['memory_exhaustion', 'oom-killed'],
    ['disk_full', 'disk-full'],
    ['io_saturation', 'host-saturation'],
    ['connection_exhaustion', 'database-connections'],
    ['dependency_failure', 'dependency-failure'],
    ['queue_backlog', 'queue-lag'],
    ['traffic_surge', 'traffic-surge'],
    ['config_change', 'deployment-regression'],
    ['scheduling', 'pod-pending'],
    ['image_pull', 'image-pull'],
    ['dns', 'dns-tls'],
    ['node_failure', 'node-pressure'],
    ['external_provider', 'dependency-failure'],
  ] as const)('the type %s brings %s', (type, playbook) => {
    expect(offered({ name: 'CheckoutOdd', summary: '' }, briefOf(type, 0.9))).toEqual([playbook]);
  });

  test('the symptom comes before the cause', () => {
    const labels = { service: 'storefront' };
    const summary = '95th percentile latency of storefront is above 1.5 s';
    const alert = { name: 'StorefrontLatencyHigh', summary, labels };
    expect(offered(alert, briefOf('connection_exhaustion', 0.97))).toEqual(['http-latency', 'database-connections']);
  });

  test("names of the incident's own things are not read as symptoms", () => {
    const alert = {
      name: 'BackupReplicationBroken',
      summary: 'backup-replication is odd',
      labels: { service: 'backup-replication' },
    };
    expect(offered(alert)).toEqual([]);
  });

  test("a user's playbook is offered by its own words", () => {
    const mine = { name: 'ledger', description: 'Ledger out of balance: settlement mismatch between books' };
    const incident = firingIncident({ startsAtMs: 0, labels: { alertname: 'LedgerSettlementMismatch' } });
    expect(matchPlaybooks(incident, NOTHING_FOUND, [...catalogue, mine])).toEqual([mine]);
  });

  test('a word that is everywhere brings the playbook that is named after it, and no other', () => {
    expect(offered({ name: 'InstanceDown', summary: 'Instance is down' })).toEqual(['target-down']);
  });

  test('a playbook whose name says nothing is judged by its description', () => {
    const mine = { name: 'the', description: 'Ledger settlement mismatch' };
    const incident = firingIncident({ startsAtMs: 0, labels: { alertname: 'LedgerSettlementMismatch' } });
    expect(matchPlaybooks(incident, NOTHING_FOUND, [mine])).toEqual([mine]);
  });

  test('nothing on the shelf, nothing offered', () => {
    expect(matchPlaybooks(firingIncident({ startsAtMs: 0 }), NOTHING_FOUND, [])).toEqual([]);
  });
});

test.each([
  ['KubePodCrashLooping', ['pod', 'crash', 'loop']],
  ['CPUThrottlingHigh', ['cpu', 'throttl']],
  ['PostgreSQL postgresql', ['postgresql']],
  ['Filling fills filled', ['fill']],
  ['NGINX answers 5xx; 503', ['nginx', 'answer', '5xx']],
  ['queries query', ['query']],
  ['', []],
])('the telling words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

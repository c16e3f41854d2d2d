import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { createProcessMetrics } from '../../../src/app/process-metrics.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { createSources } from '../../../src/sources/index.ts';
import { KEDA } from '../../support/helm/cases.ts';
import { CHART, describeWithHelm, one, render } from '../../support/helm/chart.ts';
import { FAULTS, faultTest, ofNamespace } from '../../support/helm/rule-faults.ts';
import { promtool, runPromtool, testWithPromtool } from '../../support/promtool.ts';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const file = parse(readFileSync(`${CHART}/files/alerts.yaml`, 'utf8')) as {
  groups: { name: string; rules: Alert[] }[];
};
const alerts = file.groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(readFileSync(`${CHART}/files/dashboard.json`, 'utf8')) as { panels: readonly Panel[] };
const panels = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
const questions = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.map(({ title, expr }) => [title, expr] as const),
];

describe('alerts and dashboard', () => {
  test('every query asks for metrics, labels and values that Rootnote has', async () => {
    const exposed = await exposition();
    expect(questions.length).toBeGreaterThan(40);
    expect(
      questions.flatMap(([name, expr]) => mistakesIn(expr, exposed).map((mistake) => `${name}: ${mistake}`)),
    ).toEqual([]);
    expect(mistakesIn('sum by (nobody) (rootnote_inbox_waiting) + rootnote_invented{namespace="x"}', exposed)).toEqual([
      'rootnote_inbox_waiting is asked of all releases',
      'rootnote_invented is no metric',
      'nobody is no label of its metrics',
    ]);
    expect(mistakesIn('rootnote_deliveries_total{namespace="x",outcome="lost"}', exposed)).toEqual([
      'outcome="lost" does not occur in rootnote_deliveries_total',
    ]);
  });

  test('every alert says what is wrong, how grave it is, and where to read on', () => {
    const headings = [...readFileSync('docs/operations.md', 'utf8').matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    for (const { alert, labels, annotations } of alerts) {
      expect(labels['severity']).toMatch(/^(?:critical|warning|info)$/);
      expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url']);
      expect(annotations['runbook_url']).toBe(`RUNBOOK#${alert.toLowerCase()}`);
      expect(headings).toContain(alert);
    }
    expect(alerts.map(({ alert }) => alert)).toEqual([...new Set(alerts.map(({ alert }) => alert))]);
  });

  testWithPromtool('every query of the dashboard is PromQL', () => {
    const rules = panels.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$namespace', 'ops').replaceAll('$__rate_interval', '5m'),
    }));
    expect(runPromtool({ 'rules.yaml': { groups: [{ name: 'panels', rules }] } }, 'check')).toContain('SUCCESS');
  });

  test('panels have ids of their own', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  testWithPromtool('a healthy Rootnote raises no alert, and each fault its own', () => {
    const tests = Object.entries(FAULTS).map(([name, series]) => faultTest(name, series));
    const suite = { rule_files: ['rules.yaml'], evaluation_interval: '1m', tests };
    const output = runPromtool({ 'rules.yaml': ofNamespace(file), 'suite.yaml': suite }, 'test');
    expect(output).toContain('SUCCESS');
    expect(Object.keys(FAULTS).toSorted()).toEqual(['none', ...alerts.map(({ alert }) => alert)].toSorted());
  });
});

testWithPromtool('a worker that is stuck is named by its pod, or by its address where there are no pods', () => {
  const stuck = alerts.find(({ alert }) => alert === 'RootnoteWorkerStuck');
  const tests = [{ pod: 'a', instance: '10.0.0.1:8080' }, { instance: 'host:8080' }].map((target) => {
    const labels = Object.entries({ ...target, namespace: 'ops', queue: 'incidents' });
    const matchers = labels.map(([name, value]) => `${name}="${value}"`).join(',');
    const summary = `${'pod' in target ? 'a' : 'host:8080'} takes no jobs of incidents.`;
    return {
      input_series: [{ series: `rootnote_worker_stuck{${matchers}}`, values: '1x10' }],
      alert_rule_test: [
        {
          eval_time: '5m',
          alertname: 'RootnoteWorkerStuck',
          exp_alerts: [
            {
              exp_labels: { ...target, queue: 'incidents', severity: 'warning' },
              exp_annotations: { ...stuck?.annotations, summary },
            },
          ],
        },
      ],
    };
  });
  const suite = { rule_files: ['rules.yaml'], evaluation_interval: '1m', tests };
  expect(runPromtool({ 'rules.yaml': ofNamespace(file), 'suite.yaml': suite }, 'test')).toContain('SUCCESS');
});

describeWithHelm('monitoring in the chart', () => {
  test('the rules are of the release, with its runbook, and Prometheus takes them', () => {
    const rules = {
      enabled: true,
      runbook: 'https://docs.example.com/operations',
      selector: 'job="rootnote",cluster="eu"',
    };
    const rule = one(render({ metrics: { rules } }), 'PrometheusRule', 'rel-rootnote');
    const text = JSON.stringify(rule.spec);
    expect(text).not.toMatch(/NAMESPACE|RUNBOOK/);
    expect(text).toContain('https://docs.example.com/operations#rootnotedown');
    expect(text.match(/job=\\"rootnote\\",cluster=\\"eu\\"/g)?.length).toBeGreaterThan(alerts.length);
    expect(text).toContain('{{ $labels.source }}');
    if (promtool) expect(runPromtool({ 'rules.yaml': rule.spec ?? {} }, 'check')).toContain('SUCCESS');
    const standard = one(render({ metrics: { rules: { enabled: true } } }), 'PrometheusRule', 'rel-rootnote');
    expect(JSON.stringify(standard.spec)).toContain('absent(rootnote_build_info{namespace=\\"ops\\"})');
    expect(JSON.stringify(standard.spec)).toContain('"runbook":"docs/operations.md#rootnotedown"');
    expect(JSON.stringify(standard.spec)).not.toContain('runbook_url');
  });

  test('the dashboard arrives unchanged, with the label that the sidecar looks for', () => {
    const { data, metadata } = one(
      render({ metrics: { dashboard: { enabled: true } } }),
      'ConfigMap',
      'rel-rootnote-dashboard',
    );
    expect(JSON.parse(data?.['rootnote.json'] ?? '')).toEqual(dashboard);
    expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' });
  });

  test('KEDA follows the work that waits and is under way', () => {
    const scaled = one(render({ all: { keda: KEDA } }), 'ScaledObject', 'rel-rootnote-all');
    const triggers = scaled.spec?.['triggers'] as { metadata: { query: string; threshold: string } }[] | undefined;
    const trigger = triggers?.[0];
    expect(trigger?.metadata.query).toBe(
      'sum(max by (state) (rootnote_queue_depth{namespace="ops",queue="incidents",state=~"waiting|active"}))',
    );
    expect(trigger?.metadata.threshold).toBe('4');
  });
});

/** The metrics of a process as a scrape sees them, each with some value. */
async function exposition(): Promise<string> {
  const config = parseConfig({});
  const destination = { name: 'slack' } as Parameters<typeof createProcessMetrics>[2][number];
  const metrics = createProcessMetrics(config, createSources(config), [destination]);
  metrics.inbox(0, 0, 0);
  metrics.queue('incidents', { waiting: 0, active: 0, delayed: 0, failed: 0 }, 0);
  metrics.deliveryBacklog('slack', 0, 0);
  metrics.workerStuck('incidents', false);
  metrics.checksDecided();
  metrics.checkFilesBroken(0);
  metrics.llmFirstToken(config.MODEL_ID, 1);
  metrics.mcpToolDisabled('wiki', 'changed');
  metrics.investigation({
    source: 'alertmanager',
    outcome: 'determined',
    terminationReason: 'done',
    durationMs: 1,
    turns: 1,
  });
  return (await metrics.text()).body;
}

/** What a query asks for that is not there. */
function mistakesIn(expr: string, exposed: string): readonly string[] {
  const mistakes: string[] = [];
  const lines = new Set<string>();
  for (const [, series = '', matchers] of expr.matchAll(/\b(rootnote_\w+)(?:\{([^}]*)\})?/g)) {
    const metric = series.replace(/_bucket$/, '');
    if (!exposed.includes(`# HELP ${metric} `)) mistakes.push(`${metric} is no metric`);
    if (!matchers?.startsWith('namespace="')) mistakes.push(`${metric} is asked of all releases`);
    const own = exposed.split('\n').filter((line) => line.startsWith(`${series}{`));
    for (const line of own) lines.add(line);
    for (const [, label = '', values = ''] of (matchers ?? '').matchAll(/(\w+)=~?"([^"]*)"/g))
      for (const value of label === 'namespace' ? [] : values.split('|'))
        if (!own.some((line) => line.includes(`${label}="${value}"`)))
          mistakes.push(`${label}="${value}" does not occur in ${metric}`);
  }
  for (const label of [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/,\s*/)))
    // Which pod or address a metric is of is known to whoever scrapes it.
    if (label !== 'pod' && label !== 'instance' && ![...lines].some((line) => line.includes(`${label}="`)))
      mistakes.push(`${label} is no label of its metrics`);
  return mistakes;
}

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Job } from '../../../src/domain/check.ts';
import { createSkillShelf } from '../../../src/skills/skill-shelf.ts';
import { builtInSkills } from '../../../src/skills/folders.ts';
import { readJobs, type ReadJobs } from '../../../src/schedule/read-jobs.ts';
import { runPromtool, testWithPromtool } from '../../support/promtool.ts';

const EXPECTED = [
  'backup-freshness',
  'certificate-expiry',
  'daily-cluster-sweep',
  'disk-and-pvc-forecast',
  'hourly-golden-signals',
  'queue-and-replication-lag',
  'restart-and-oom-sweep',
];

/** The PromQL of a check with the name of its probe. */
function queriesOf({ name, probes }: Job): readonly (readonly [name: string, query: string])[] {
  return probes.flatMap((probe) =>
    'query' in probe && probe.query !== undefined ? [[`${name}/${probe.name}`, probe.query] as const] : [],
  );
}

describe('D5: the checks that are shipped', () => {
  let read: ReadJobs;

  beforeAll(async () => {
    const skills = (await createSkillShelf([builtInSkills()]).catalogue()).map(({ name }) => name);
    read = await readJobs('jobs', { skills });
  });

  test('all of them can be read, and name playbooks that there are', () => {
    expect(read.broken).toEqual([]);
    expect(read.incomplete).toEqual([]);
    expect(read.jobs.map(({ name }) => name)).toEqual(EXPECTED);
  });

  test('none runs before somebody has decided that it should', () => {
    expect(read.jobs.filter(({ enabled }) => enabled)).toEqual([]);
  });

  test('each looks by probes first, and says of each what to do', () => {
    for (const { name, probes } of read.jobs) {
      expect(probes.length).toBeGreaterThanOrEqual(4);
      for (const probe of probes)
        expect([name, probe.name, probe.remedy]).toEqual([name, probe.name, expect.any(String)]);
    }
  });

  test('their prompts say what to look for', () => {
    for (const { prompt } of read.jobs) expect(prompt.length).toBeGreaterThan(150);
  });

  testWithPromtool('what is well is an answer, and what never was is told (promtool)', () => {
    const queries = new Map(read.jobs.flatMap(queriesOf));
    const seen = (probe: string, labels: string, value: number) => ({
      expr: queries.get(probe),
      eval_time: '30h',
      exp_samples: [{ labels, value }],
    });
    const web = '{namespace="shop", service="web"}';
    const inputs = [
      ['http_requests_total{namespace="shop", service="web", code="200"}', '0+60x2000'],
      // Many services have both, with the same labels.
      ['http_request_duration_seconds_count{namespace="shop", service="web", code="200"}', '0+60x2000'],
      // Without a status nobody knows how many of them fail.
      ['http_requests_total{namespace="shop", service="blind"}', '0+60x2000'],
      ['kube_cronjob_created{namespace="shop", cronjob="backup"}', '1x2000'],
      ['kube_cronjob_created{namespace="shop", cronjob="backup-new"}', '107000x2000'],
    ].map(([series, values]) => ({ series, values }));
    const expected = [
      seen('hourly-golden-signals/error-ratio', web, 0),
      seen('hourly-golden-signals/errors-moved', web, 0),
      {
        ...seen('hourly-golden-signals/traffic-dropped', web, 1),
        exp_samples: ['web', 'blind'].map((name) => ({ labels: `{namespace="shop", service="${name}"}`, value: 1 })),
      },
      seen('backup-freshness/backup-cronjob', '{namespace="shop", cronjob="backup"}', 0),
    ];
    const tests = [{ interval: '1m', input_series: inputs, promql_expr_test: expected }];
    expect(runPromtool({ 'test.yml': { evaluation_interval: '1m', tests } }, 'test')).toContain('SUCCESS');
  });

  testWithPromtool('their queries are PromQL (promtool)', () => {
    const queries = read.jobs.flatMap(queriesOf);
    expect(queries.length).toBeGreaterThan(25);
    // The name of an alert may be anything, so that a mistake is told with the probe that it is in.
    const rules = queries.map(([alert, expr]) => ({ alert, expr }));
    expect(runPromtool({ 'rules.yml': { groups: [{ name: 'probes', rules }] } }, 'check')).toContain('SUCCESS');
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import type { Report } from '../../src/domain/report.ts';
import { groupText } from '../support/alertmanager-bodies.ts';
import { connectToKube } from '../support/kube-cluster/api.ts';
import { CLUSTER_CASES, type ClusterCase } from '../support/kube-cluster/cluster-cases.ts';
import { describeWithKubernetes } from '../support/kube-cluster/describe-with-kubernetes.ts';
import { compactHistory } from '../support/kube-cluster/etcd.ts';
import { startLaboratory, type BrokenCase, type Laboratory } from '../support/kube-cluster/laboratory.ts';
import { createReadOnlyAccount, type ReadOnlyAccount } from '../support/kube-cluster/read-only-account.ts';
import { startRelay, type KubeRelay } from '../support/kube-cluster/relay.ts';
import { readOnlyRole } from '../support/kube-cluster/role.ts';
import { runRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';

const START_LIMIT_MS = 300_000;
const SMALL_PAGE = '4';

describeWithKubernetes('a real control plane, read by an account with the rights of the chart', (programs) => {
  let laboratory: Laboratory;
  let relay: KubeRelay;
  let account: ReadOnlyAccount;
  /** Pages are small and history is forgotten between them, while this is set. */
  let isForgetful = false;
  const reports = new Map<string, Report>();

  beforeAll(async () => {
    laboratory = await startLaboratory(programs);
    const { plane } = laboratory;
    relay = await startRelay(plane, async ({ path, params }) => {
      if (!isForgetful || path !== '/api/v1/namespaces/media/pods') return;
      params.set('limit', SMALL_PAGE);
      if (!params.has('continue')) return;
      // What was read before is no longer the newest.
      await plane.api.patch('/api/v1/namespaces/media', { metadata: { labels: { read: String(relay.seen.length) } } });
      await compactHistory(plane.etcdUrl);
    });
    account = await createReadOnlyAccount(plane, readOnlyRole(), relay.url);
    const twoAtATime = pLimit(2);
    const outcomes = await Promise.allSettled(
      laboratory.broken.map((one) => twoAtATime(async () => reports.set(one.name, await investigate(one)))),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }, START_LIMIT_MS);

  afterAll(async () => {
    await stopRootnotes();
    await relay?.stop();
    await laboratory?.stop();
  }, START_LIMIT_MS);

  async function investigate({ labels, startsAtMs }: BrokenCase): Promise<Report> {
    const file = join(await temporaryFolder(), 'alert.json');
    const startsAt = new Date(startsAtMs).toISOString();
    await writeFile(file, groupText({ alerts: [{ labels: { severity: 'critical', ...labels }, startsAt }] }));
    const { code, stdout, stderr } = await runRootnote(['investigate', file, '--offline', '--json'], {
      KUBERNETES_KUBECONFIG: account.kubeconfigFile,
    });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Report;
  }

  const reportOn = ({ name }: ClusterCase): Report => {
    const report = reports.get(name);
    if (!report) throw new Error(`no report on ${name}`);
    return report;
  };

  test.each(CLUSTER_CASES.filter(({ truth }) => truth))('$name: the report names object and type', (one) => {
    const report = reportOn(one);
    const { root_cause_service: service, root_cause_type: type } = report;
    expect({ service, type, status: report.status }).toEqual({ ...one.truth, status: 'determined' });
    const told = [report.summary, ...report.evidence.map(({ statement }) => statement)].join('\n');
    for (const words of one.shows) expect(told).toMatch(words);
    expect(report.summary).toContain(one.truth?.service);
    expect(report.alternatives.filter((other) => other.confidence > 0.2)).toEqual([]);
  });

  test('where nothing is wrong nobody is blamed, whatever is broken elsewhere', () => {
    for (const one of CLUSTER_CASES.filter(({ truth }) => !truth)) {
      const { status, root_cause_service: service, alternatives } = reportOn(one);
      expect({ status, service, alternatives }).toEqual({ status: 'inconclusive', service: null, alternatives: [] });
    }
  });

  test('the rights of the chart are enough, and no more is asked for', () => {
    const gaps = [...reports.values()].flatMap((report) => report.gaps);
    expect(gaps.filter((gap) => /403|may not|forbidden/i.test(gap))).toEqual([]);
    expect(relay.seen.filter(({ status }) => status === 401 || status === 403)).toEqual([]);
    expect([...new Set(relay.seen.map(({ method }) => method))]).toEqual(['GET']);
    expect(relay.seen.filter(({ path, params }) => /secrets/.test(path) || params.has('watch'))).toEqual([]);
  });

  test.each(['/api/v1/secrets', '/api/v1/namespaces/kube-system/secrets/any'])(
    'the account is refused %s',
    async (path) => {
      const { url, certificate } = laboratory.plane;
      const api = connectToKube(url, certificate, account.token);
      await expect(api.get(path)).rejects.toMatchObject({ status: 403 });
      await expect(api.create('/api/v1/namespaces', { metadata: { name: 'x' } })).rejects.toMatchObject({
        status: 403,
      });
      api.close();
    },
  );

  test('a list whose pages run out between two of them is read to its end, and the report says so', async () => {
    const media = laboratory.broken.find(({ namespace }) => namespace === 'media') as BrokenCase;
    isForgetful = true;
    const report = await investigate(media).finally(() => (isForgetful = false));
    expect(report.root_cause_service).toBe('transcoder');
    const gaps = report.gaps.filter((gap) => gap.startsWith('kubernetes'));
    expect(gaps).toEqual([expect.stringMatching(/pods in media were read at two moments/)]);
    expect(relay.seen.map(({ status }) => status)).toContain(410);
  });
});

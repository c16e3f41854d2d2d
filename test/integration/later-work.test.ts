import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { ModelError } from '../../src/agent/model.ts';
import type { StormMember } from '../../src/intake/storm.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { createAdmittingIntake } from '../support/admitting-intake.ts';
import { CONCLUSION } from '../support/agent-case.ts';
import { groupBody, numberedAlert, type BodyAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { gate } from '../support/gate.ts';
import { noStorms } from '../support/no-storms.ts';
import {
  QUIET_SCENE,
  startInvestigatingWorker,
  type InvestigatingWorker,
  type Scene,
} from '../support/investigating-worker.ts';
import { REDIS } from '../support/programs.ts';
import { prefixOf, startTestRedis, type TestRedis } from '../support/redis.ts';
import { scriptedModel, text } from '../support/scripted-model.ts';

/** In minutes: due at once, for a test that changes nothing before. */
const SOON = 0.01;
/** No test waits for so long: what is due then begins when the test brings it forward. */
const LATE_MINUTES = 60;
const LATE_MS = LATE_MINUTES * 60_000;
const suite = await describeIf(REDIS);
const log = silentLogger();

/** An agent that names this service on the evidence of the brief. */
function naming(service: string, times = 1) {
  const said = { ...CONCLUSION, root_cause_service: service, evidence: ['M1'], causal_chain: [], action_plan: [] };
  return scriptedModel(Array.from({ length: times }, () => ({ blocks: [text(JSON.stringify(said))] })));
}

suite('what follows a first report', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix = '';
  let scene: Scene;
  let worker: InvestigatingWorker;

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, log);
  });
  beforeEach(() => {
    prefix = prefixOf(`t${randomUUID()}`);
    scene = { ...QUIET_SCENE };
  });
  afterEach(() => worker.close());
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  const start = async () => {
    worker = await startInvestigatingWorker(server.target, redis, prefix, scene);
  };
  const intake = () => createAdmittingIntake(redis, prefix);
  const admit = async (...alerts: readonly BodyAlert[]) => {
    const { incidentId = '' } = await intake().receive(parseNotification(groupBody({ alerts })));
    return incidentId;
  };
  const admitApart = async (groupKey: string, ...alerts: readonly BodyAlert[]) => {
    const { incidentId = '' } = await intake().receive(parseNotification(groupBody({ groupKey, alerts })));
    return incidentId;
  };
  const member = (title: string, incidentId = title): StormMember => ({
    incidentId,
    title,
    service: undefined,
    severity: undefined,
  });
  /** Incidents join `lead`, each once it is among its members: a test knows its id only when it is admitted. */
  const joining = (lead: string, members: () => readonly StormMember[]) =>
    noStorms({
      place: async ({ id }) => {
        await eventually(`${id} is among the members`, () => members().some(({ incidentId }) => incidentId === id));
        return { kind: 'member', of: lead };
      },
      membersOf: () => Promise.resolve(members()),
    });
  const others = (...services: readonly string[]) =>
    services.map((service) =>
      numberedAlert(1, { labels: { alertname: 'CheckoutErrors', service, severity: 'critical' } }),
    );
  const told = (content: string) =>
    eventually(`${content} is told`, () => worker.told.find((one) => one.endsWith(content)));
  const ended = (jobId: string) =>
    eventually(`${jobId} has ended`, () => redis.zscore(`${prefix}:incidents:completed`, jobId));
  /** What waits for its time begins now: a test that changes the scene before is not in a hurry. */
  const bringForward = async (jobId: string) => {
    await eventually(`${jobId} waits`, () => redis.zscore(`${prefix}:incidents:delayed`, jobId));
    const queue = new Queue('incidents', { connection: redis, prefix });
    await (await queue.getJob(jobId))?.promote();
    await queue.close();
  };
  const counted = (outcome: string) =>
    eventually(`a look is counted as ${outcome}`, async () =>
      new RegExp(`later_looks_total\\{outcome="${outcome}"\\} [1-9]`).test(await worker.metrics()),
    );
  const standing = async (id: string) => (await worker.stores.reports.getReported(`rep_${id}`))?.report;

  test('a first look is told before the report, and both are one report in the end', async () => {
    scene.model = naming('cart');
    await start();
    const id = await admit(numberedAlert(1));
    await told('report');
    expect(worker.told).toEqual([`${id} first-look`, `${id} report`]);
    expect(await worker.stores.reports.listReports(5)).toMatchObject([{ id: `rep_${id}`, mode: 'agent' }]);
    expect(await worker.stores.reports.getFirstLook(`rep_${id}`)).toMatchObject({ report: { stage: 'first_look' } });
  });

  test('a second look that finds another leader tells it, once; the session is kept beside the first', async () => {
    scene.lookMinutes = [LATE_MINUTES, LATE_MINUTES * 2];
    await start();
    const id = await admit(numberedAlert(1));
    await told('report');
    expect((await standing(id))?.root_cause_service).toBe('cart');
    scene.suspect = 'payments';
    await bringForward(`look_${id}-look1`);
    await counted('changed');
    await bringForward(`look_${id}-look2`);
    await counted('unchanged');
    expect(worker.told).toEqual([`${id} report`, `${id} update-1`]);
    expect(await standing(id)).toMatchObject({
      root_cause_service: 'payments',
      revision: { of: { root_cause_service: 'cart' } },
    });
    expect(await worker.stores.updates.newsOf(id, 1)).toMatch(
      /The leading suspect was cart; now it is payments, since/,
    );
    const sessions = (await worker.stores.reports.listSessions(9)).map((session) => session.id).toSorted();
    expect(sessions).toEqual([`ses_${id}`, `ses_${id}-look1`, `ses_${id}-look2`]);
  });

  test('a second look that finds the same tells nothing', async () => {
    scene.lookMinutes = [SOON];
    await start();
    const id = await admit(numberedAlert(1));
    await counted('unchanged');
    expect(worker.told).toEqual([`${id} report`]);
    expect((await standing(id))?.revision).toBeUndefined();
  });

  test("an agent's verdict stays when later samples speak for another service; that is told beside it", async () => {
    scene.model = naming('cart');
    scene.lookMinutes = [LATE_MINUTES];
    await start();
    const id = await admit(numberedAlert(1));
    await told('report');
    scene.suspect = 'payments';
    await bringForward(`look_${id}-look1`);
    await told('update-1');
    expect(await standing(id)).toMatchObject({ mode: 'agent', root_cause_service: 'cart' });
    expect(await worker.stores.updates.newsOf(id, 1)).toMatch(
      /^The agent named cart; samples up to .* now rank payments first/,
    );
  });

  test('an incident that is resolved is not looked at again', async () => {
    scene.lookMinutes = [LATE_MINUTES];
    await start();
    const id = await admit(numberedAlert(1));
    await told('report');
    await admit(numberedAlert(1, { status: 'resolved' }));
    await told('resolved');
    await bringForward(`look_${id}-look1`);
    await counted('skipped');
    expect(worker.read()).toBe(1);
    expect(worker.told).toEqual([`${id} report`, `${id} resolved`]);
  });

  test('an incident that grew is investigated again under a session of its own, and told in the same thread', async () => {
    scene.model = naming('cart', 2);
    await start();
    const id = await admit(numberedAlert(1));
    await told('report');
    expect(await admit(numberedAlert(1), ...others('a', 'b', 'c'))).toBe(id);
    await told('update-1');
    expect(worker.told.filter((one) => one.includes('first-look'))).toHaveLength(1);
    expect(await standing(id)).toMatchObject({ id: `rep_${id}`, session: `ses_${id}-r2`, mode: 'agent' });
    expect(await worker.stores.updates.newsOf(id, 1)).toBe(
      '3 more services joined: a, b, c; the cause is still seen in cart',
    );
    expect(await worker.stores.reports.listReports(5)).toHaveLength(1);
  });

  test('what grows during the investigation is investigated once more when that has ended, however often it grew', async () => {
    const reading = gate();
    const goOn = gate();
    scene.beforeReading = async () => {
      reading.open();
      await goOn.opened;
    };
    scene.coolDownMs = 300;
    await start();
    const id = await admit(numberedAlert(1));
    await reading.opened;
    await admit(numberedAlert(1), ...others('a', 'b'));
    await admit(numberedAlert(1), ...others('a', 'b', 'c', 'd', 'e', 'f'));
    goOn.open();
    await told('update-1');
    expect(worker.read()).toBe(2);
    expect((await worker.stores.reports.getReported(`rep_${id}`))?.incident.alertCount).toBe(7);
    expect(worker.told).toEqual([`${id} report`, `${id} update-1`]);
  });

  test('one that cannot be investigated again is told so, and its report stands', async () => {
    await start();
    const id = await admit(numberedAlert(1));
    await told('report');
    const before = await standing(id);
    scene.beforeReading = () => Promise.reject(new Error('a bug'));
    await admit(numberedAlert(1), ...others('a', 'b', 'c'));
    await told('update-1');
    expect(await worker.stores.updates.newsOf(id, 1)).toMatch(
      /^It has grown and could not be investigated again \(a bug\); this is the/,
    );
    expect(await standing(id)).toEqual(before);
  });

  test('a grown incident that is resolved before the cool-down is over is left alone', async () => {
    scene.coolDownMs = LATE_MS;
    await start();
    const id = await admit(numberedAlert(1));
    await told('report');
    await admit(numberedAlert(1), ...others('a', 'b'));
    await eventually('it waits', () => redis.zscore(`${prefix}:incidents:delayed`, `grown_${id}_1`));
    await admit(...[numberedAlert(1), ...others('a', 'b')].map((alert) => ({ ...alert, status: 'resolved' as const })));
    await told('resolved');
    await bringForward(`grown_${id}_1`);
    await ended(`grown_${id}_1`);
    expect(worker.read()).toBe(1);
    expect(worker.told).toEqual([`${id} report`, `${id} resolved`]);
  });

  test('whoever takes it on is told in the post that is there', async () => {
    await start();
    const id = await admit(numberedAlert(1));
    await told('report');
    const incident = await worker.stores.incidents.getIncident(id);
    const { fingerprint = '' } = incident?.alerts[0] ?? {};
    await intake().acknowledge({ source: 'alertmanager', fingerprint, by: 'Ada', atMs: Date.now() });
    await told('update-1');
    expect(await worker.stores.updates.newsOf(id, 1)).toBe('Taken on by Ada');
  });

  test('a muted incident is neither investigated nor told; when the mute ends it is, if it still fires', async () => {
    await start();
    const untilMs = Date.now() + LATE_MS;
    scene.muteOf = () => ({ reason: 'planned work', untilMs, at: 'routes.yaml:12' });
    const id = await admit(numberedAlert(1));
    const life = await eventually('it is noted', async () => {
      const found = await worker.stores.incidents.getLife(id);
      return found?.stage === 'muted' ? found : undefined;
    });
    expect(life?.decisions.map(({ reason }) => reason)).toContain(
      `planned work (until ${new Date(untilMs).toISOString()}, routes.yaml:12)`,
    );
    expect(worker.told).toEqual([]);
    scene.muteOf = () => undefined;
    await bringForward(`investigate_${id}`);
    await told('report');
    expect(worker.read()).toBe(1);
  });

  test("a muted incident that ends before the mute does is nobody's concern", async () => {
    await start();
    scene.muteOf = () => ({ reason: 'planned work', untilMs: Date.now() + LATE_MS });
    const id = await admit(numberedAlert(1));
    await eventually('it is muted', async () => (await worker.stores.incidents.getLife(id))?.stage === 'muted');
    await admit(numberedAlert(1, { status: 'resolved' }));
    scene.muteOf = () => undefined;
    await bringForward(`investigate_${id}`);
    await ended(`investigate_${id}`);
    expect(worker.read()).toBe(0);
  });

  test('members of a storm are not investigated by themselves; their lead tells them', async () => {
    await start();
    const lead = await admit(numberedAlert(1));
    await ended(`investigate_${lead}`);
    scene.storms = noStorms({
      place: () => Promise.resolve({ kind: 'member', of: lead }),
      membersOf: () => Promise.resolve([member('Member A'), member('Member B')]),
    });
    const { incidentId = '' } = await intake().receive(
      parseNotification(groupBody({ groupKey: 'another', alerts: others('payments') })),
    );
    expect(incidentId).not.toBe(lead);
    await told('update-1');
    expect(worker.told).toEqual([`${lead} report`, `${lead} update-1`]);
    expect((await worker.stores.incidents.getLife(incidentId))?.stage).toBe('joined');
    expect(await worker.stores.updates.newsOf(lead, 1)).toMatch(
      /^3 connected incidents joined: .*, Member A, Member B$/,
    );
  });

  test('many that join a report late are one update of it, not one each', async () => {
    await start();
    const lead = await admit(numberedAlert(1));
    await ended(`investigate_${lead}`);
    const members = Array.from({ length: 12 }, (_, n) => member(`Member ${n}`, `inc_${n}`));
    scene.storms = joining(lead, () => members);
    const ids = await Promise.all([2, 3, 4, 5].map((n) => admitApart(`g${n}`, numberedAlert(n))));
    members.splice(0, 4, ...ids.map((id) => member(id, id)));
    for (const id of ids) await ended(`investigate_${id}`);
    expect(worker.told).toEqual([`${lead} report`, `${lead} update-1`]);
  });

  test('when one has left and another joins, that is told although they are as many as before', async () => {
    await start();
    const lead = await admit(numberedAlert(1));
    await ended(`investigate_${lead}`);
    let members = [member('Member A', 'inc_a'), member('Member B', 'inc_b')];
    scene.storms = joining(lead, () => members);
    const first = await admitApart('g1', numberedAlert(2));
    members = [member('Member A', 'inc_a'), member('Two', first)];
    await ended(`investigate_${first}`);
    const second = await admitApart('g2', numberedAlert(3));
    members = [member('Member A', 'inc_a'), member('Three', second)];
    await ended(`investigate_${second}`);
    expect(worker.told).toEqual([`${lead} report`, `${lead} update-1`, `${lead} update-2`]);
  });

  test('a covered incident that has become too grave to be covered is investigated by itself', async () => {
    scene.storms = noStorms({ place: () => Promise.resolve({ kind: 'summary-only' }) });
    await start();
    const id = await admit(numberedAlert(1));
    await ended(`investigate_${id}`);
    expect(worker.told).toEqual([]);
    scene.storms = noStorms();
    await createIncidentQueue(redis, prefix, log).add({ kind: 'grown', incidentId: id, round: 1 });
    await told('report');
    expect(worker.told).toEqual([`${id} report`]);
  });

  test('when the worker dies over that, the same job goes on with it', async () => {
    scene.storms = noStorms({ place: () => Promise.resolve({ kind: 'summary-only' }) });
    await start();
    const id = await admit(numberedAlert(1));
    await ended(`investigate_${id}`);
    scene.storms = noStorms();
    await worker.stores.updates.takeRound(id, `grown_${id}_1`);
    await worker.stores.incidents.noteProgress(id, 'investigating', Date.now());
    await createIncidentQueue(redis, prefix, log).add({ kind: 'grown', incidentId: id, round: 1 });
    await told('report');
  });

  test('a covered incident that still is covered stays so when it grows', async () => {
    scene.storms = noStorms({ place: () => Promise.resolve({ kind: 'summary-only' }) });
    await start();
    const id = await admit(numberedAlert(1));
    await ended(`investigate_${id}`);
    await createIncidentQueue(redis, prefix, log).add({ kind: 'grown', incidentId: id, round: 1 });
    await ended(`grown_${id}_1`);
    expect(worker.read()).toBe(0);
    expect((await worker.stores.incidents.getLife(id))?.stage).toBe('joined');
  });

  test('one that covers others is investigated although it is muted by now', async () => {
    scene.muteOf = () => ({ reason: 'planned work' });
    scene.storms = noStorms({ membersOf: () => Promise.resolve([member('Member A')]) });
    await start();
    await admit(numberedAlert(1));
    await told('report');
  });

  test('a model that fails leaves the verdict of the first look, with the reason', async () => {
    scene.model = scriptedModel([new ModelError('overloaded', 'it was overloaded (529)')]);
    await start();
    const id = await admit(numberedAlert(1));
    await told('report');
    const first = await worker.stores.reports.getFirstLook(`rep_${id}`);
    const report = await standing(id);
    expect(report).toMatchObject({ mode: 'analyst', summary: first?.report.summary });
    expect(report?.gaps.at(-1)).toContain('it was overloaded (529)');
  });
});

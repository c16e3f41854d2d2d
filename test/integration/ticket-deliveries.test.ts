import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { DeliveryContent, IncidentContentName } from '../../src/domain/delivery.ts';
import type { Incident } from '../../src/domain/incident.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { createDeliveries, type Deliveries } from '../../src/queue/deliveries/deliveries.ts';
import { makeIncident, reportContent, resolvedContent, updateContent } from '../support/delivery-content.ts';
import { destinationCases, type DestinationCase } from '../support/destination-cases.ts';
import { eventually } from '../support/eventually.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const TITLES = ['pagerduty', 'jira cloud', 'github', 'teams'];

let redis: TestRedis;
let cases: readonly DestinationCase[] = [];
let deliveries: Deliveries;
let incident: Incident;
let count = 0;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  const chosen = destinationCases.filter(([title]) => TITLES.includes(title));
  cases = await Promise.all(chosen.map(([, , open]) => open()));
  // As PagerDuty sends it, so that all of them are told.
  incident = makeIncident({ id: 'inc_tickets', ...of('pagerduty').incident });
  deliveries = await createDeliveries({
    redisTarget: redis.target,
    prefix: `tickets-${++count}`,
    destinations: cases.map(({ destination }) => destination),
    loadContent: (_id, name) => Promise.resolve(contentOf(name)),
    redact: (text) => text,
    log: silentLogger(),
    retry: { firstMs: 30, maxMs: 60, forMs: 60_000 },
  });
});
afterEach(async () => {
  await deliveries.close(2000);
  await Promise.all(cases.map((it) => it.close().catch(() => undefined)));
});

function of(name: string): DestinationCase {
  const found = cases.find(({ destination }) => destination.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

function contentOf(name: IncidentContentName): DeliveryContent {
  if (name === 'resolved') return resolvedContent({}, incident);
  return name === 'report' ? reportContent({}, incident) : updateContent({ root_cause_service: 'payments' }, incident);
}

/** Waits until a content has come to this end at these destinations. */
async function settle(content: IncidentContentName, ends: Readonly<Record<string, string>>): Promise<void> {
  const states = async () => {
    const records = await deliveries.records(incident.id);
    return new Map(records.flatMap((one) => (one.content === content ? [[one.destination, one.state] as const] : [])));
  };
  await eventually(`${content} settled`, states, (seen) =>
    Object.entries(ends).every(([destination, state]) => seen.get(destination) === state),
  );
}

const atTickets = { jira: 'delivered', github: 'delivered', teams: 'delivered' };
const everywhere = { ...atTickets, pagerduty: 'delivered' };

describe('tickets by way of the outbox', () => {
  test('answers that are lost lead to one post each, and what follows a report finds it', async () => {
    for (const it of cases) if (it.findsItsPosts) it.answer?.('lost');
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    await settle('report', everywhere);
    for (const it of cases) expect([it.destination.name, await it.visibleReports()]).toEqual([it.destination.name, 1]);

    for (const it of cases) if (it.findsItsPosts) it.answer?.('lost');
    await deliveries.schedule(incident, 'update-1');
    await settle('update-1', everywhere);
    await deliveries.schedule(incident, 'resolved');
    await settle('resolved', atTickets);
    expect([await of('jira').visibleReports(), await of('github').visibleReports()]).toEqual([1, 1]);
    // A note for the report, one for another verdict, none for the end.
    expect(await of('pagerduty').visibleReports()).toBe(2);
  });

  test('one that is away and one that refuses hold up no other, and the reason is kept', async () => {
    await of('jira').close();
    of('github').answer?.(403);
    deliveries.startWorker();
    await deliveries.schedule(incident, 'report');
    await settle('report', { pagerduty: 'delivered', teams: 'delivered', github: 'gave-up' });
    // None waits for another, so that Jira may be the last to be tried.
    const records = await eventually(
      'Jira was tried, too',
      () => deliveries.records(incident.id),
      (all) => all.some(({ destination, reason }) => destination === 'jira' && reason !== undefined),
    );
    const reasonAt = (name: string) =>
      records.find(({ destination, content }) => destination === name && content === 'report')?.reason;
    expect(reasonAt('github')).toContain('needs Issues: read and write');
    expect(reasonAt('jira')).toContain('cannot be reached');
    for (const secret of cases.flatMap(({ secrets }) => secrets)) expect(JSON.stringify(records)).not.toContain(secret);
  });
});

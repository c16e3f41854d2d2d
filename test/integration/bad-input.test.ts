import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { groupBody, groupText, numberedAlert, wireText } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startRootnote, stopRootnotes, type RootnoteProcess } from '../support/rootnote-process.ts';

interface ReportLine {
  readonly title: string;
  readonly incidentId: string;
}

const MEGABYTE = 1_048_576;
/** Control characters, half surrogate pairs, marks that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u202a-\u202e]/u;
const suite = await describeIf(REDIS);

suite('what a webhook may be sent', () => {
  let redis: TestRedis;
  let rootnote: RootnoteProcess;

  beforeAll(async () => {
    redis = await startTestRedis();
    rootnote = await startRootnote('all', { REDIS_URL: redis.url, WEBHOOK_BODY_LIMIT_BYTES: String(8 * MEGABYTE) });
  }, 240_000);
  afterAll(async () => {
    await stopRootnotes();
    await redis?.stop();
  });

  const whole = groupText({ alerts: [numberedAlert(1)] });
  test.each([
    ['nothing', ''],
    ['a truncated body', whole.slice(0, whole.length / 2)],
    ['HTML', '<html>502 Bad Gateway</html>'],
    ['a list', '[]'],
    ['null', 'null'],
    ['another product', JSON.stringify({ version: '7', event: { kind: 'deploy' } })],
    ['alerts that are no list', JSON.stringify({ version: '4', alerts: { length: 1 } })],
    ['an alert without a start', wireText({ version: '4', alerts: [{ status: 'firing', labels: {} }] })],
    ['an impossible start', groupText({ alerts: [numberedAlert(1, { startsAt: 'yesterday' })] })],
    ['a deep nesting', '['.repeat(100_000)],
  ])('D6: %s is refused with small JSON that says why', async (_name, body) => {
    const answer = await rootnote.post(body);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.body).toEqual({ error: expect.stringMatching(/^.{10,400}$/) });
  });

  test('D6: every sender of a body over the limit reads the 413, which names the setting', async () => {
    const body = bigBody('x'.repeat(9 * MEGABYTE));
    const answers = await Promise.all(Array.from({ length: 12 }, () => rootnote.post(body)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 413));
    expect(answers[0]?.body).toEqual({ error: expect.stringContaining('WEBHOOK_BODY_LIMIT_BYTES') });
  });

  test('D1: an alert of 5 MB is taken in and reported, cut to size', async () => {
    const text = `${'disk /dev/sda1 is full; '.repeat(100)}${'x'.repeat(5 * MEGABYTE)}`;
    const report = await reportOf(rootnote, await take(rootnote, bigBody(text)));
    expect(JSON.stringify(report).length).toBeLessThan(100_000);
    expect(report).toMatchObject({ incident: { title: 'BigAlert' } });
  });

  test('D1: a group of 10,000 alerts is one incident that counts them all', async () => {
    const alerts = Array.from({ length: 10_000 }, (_, index) =>
      numberedAlert(index, {
        labels: { alertname: 'Storm', service: `svc-${index % 50}`, pod: `pod-${index}`, severity: 'warning' },
      }),
    );
    const report = await reportOf(rootnote, await take(rootnote, groupText({ groupKey: '{}:{storm="1"}', alerts })));
    expect(report).toMatchObject({ incident: { title: 'Storm (10000 alerts)' } });
  });

  test.each([
    ['no labels at all', { labels: {} }, /^Alert|^Unnamed/],
    ['empty names and values', { labels: { alertname: '', service: '', '': 'x' } }, /./],
    ['labels of other types', { labels: { alertname: 42, nested: { a: 1 }, gone: null } as never }, /42/],
    ['names of JavaScript', { labels: { alertname: '__proto__', constructor: 'x', toString: 'y' } }, /__proto__/],
    ['control characters and a right-to-left mark', { labels: { alertname: 'Bad\u0000\u202eName\nx' } }, /Bad/],
    ['half a surrogate pair', { labels: { alertname: 'Half\ud83d', service: 'a\udc00' } }, /Half/],
    ['a start in the far past', { labels: { alertname: 'Old' }, startsAt: '1969-12-31T23:59:59Z' }, /Old/],
    ['a start in the far future', { labels: { alertname: 'Soon' }, startsAt: '9999-12-31T23:59:59Z' }, /Soon/],
  ])('D1: an alert with %s becomes a report', async (name, alert, title) => {
    const incidentId = await take(rootnote, groupText({ groupKey: name, groupLabels: {}, alerts: [alert] }));
    const report = await reportOf(rootnote, incidentId);
    const shown = (report as { incident: { title: string } }).incident.title;
    expect(shown).toMatch(title);
    expect(shown).not.toMatch(UNPRINTABLE);
  });

  test('after all of that: nothing taken in was lost, nothing else is reported, and no error was without an explanation', async () => {
    const { reports } = (await (await fetch(`${rootnote.url}/api/v1/reports?limit=100`)).json()) as {
      reports: ReportLine[];
    };
    expect(reports).toHaveLength(10);
    expect(await rootnote.status('/readyz')).toBe(200);
    expect(rootnote.output()).not.toMatch(/"level":[56]0|nobody thought of|UnhandledPromise|\n\s+at /);
    expect(await rootnote.terminate()).toBe(0);
  });
});

function bigBody(text: string): string {
  const alert = { labels: { alertname: 'BigAlert', service: 'disk' }, annotations: { description: text } };
  return wireText({ ...groupBody({ groupKey: '{}:{big="1"}', alerts: [alert] }), commonAnnotations: {} });
}

/** Sends a body that must be taken in; returns its incident. */
async function take(rootnote: RootnoteProcess, body: string): Promise<string> {
  const { decision, incidentId = '' } = await rootnote.postDecided(body);
  expect(decision).toBe('new');
  return incidentId;
}

async function reportOf(rootnote: RootnoteProcess, incidentId: string): Promise<unknown> {
  const line = await eventually(`${incidentId} is reported`, async () => {
    const { reports } = (await (await fetch(`${rootnote.url}/api/v1/reports?limit=100`)).json()) as {
      reports: (ReportLine & { id: string })[];
    };
    return reports.find((report) => report.incidentId === incidentId);
  });
  return (await fetch(`${rootnote.url}/api/v1/reports/${line?.id}`)).json();
}

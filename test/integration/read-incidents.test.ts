import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { showIncidents } from '../../src/app/incidents-command.ts';
import { readBack } from '../../src/app/read-back.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { groupText } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startRootnote, stopRootnotes, type RootnoteProcess } from '../support/rootnote-process.ts';

const suite = await describeIf(REDIS);
const TOKEN = 'reader-token';
/** More than are named in words. */
const COUNT = 20;

interface Incident {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly stage: string;
  readonly storm: string | null;
  readonly coveredBy: string | null;
  readonly covers: number;
}

interface Page {
  readonly incidents: readonly Incident[];
  readonly next: string | null;
}

suite('a storm of alerts, read from the command line and over HTTP', () => {
  let redis: TestRedis;
  let rootnote: RootnoteProcess;
  let all: readonly Incident[] = [];
  let lead: Incident;
  let member: Incident;
  let storm = '';

  const authorization = `Bearer ${TOKEN}`;
  const send = async (n: number, status: 'firing' | 'resolved' = 'firing') => {
    const labels = { alertname: `Alert${n}`, severity: 'warning', service: `s${n}`, cluster: 'eu', namespace: 'shop' };
    const answer = await rootnote.post(groupText({ alerts: [{ labels, status }], groupKey: `{}:{n="${n}"}` }), {
      authorization,
    });
    expect(answer.status).toBe(202);
  };
  const get = async (path: string, headers: Readonly<Record<string, string>> = { authorization }) => {
    const response = await fetch(`${rootnote.url}/api/v1/incidents${path}`, { headers });
    const body: unknown = await response.json();
    return { status: response.status, body };
  };
  const page = async (query: string) => (await get(query)).body as Page;
  const config = () => parseConfig({ REDIS_URL: redis.url });
  const incidents = async (id?: string, json = false) =>
    (await showIncidents(config(), { json, ...(id === undefined ? {} : { id }) }, () => undefined)) ?? '';
  const read = (what: 'reports' | 'sessions', id: string, json = false) =>
    readBack(config(), { what, id, json, colour: false }, () => undefined);

  beforeAll(async () => {
    redis = await startTestRedis();
    rootnote = await startRootnote('all', {
      REDIS_URL: redis.url,
      STORM_THRESHOLD: '4',
      ALERTMANAGER_BEARER_TOKENS: TOKEN,
    });
    for (let n = 0; n < COUNT; n++) await send(n);
    const untilAll = (what: string, accept: (found: readonly Incident[]) => boolean) =>
      eventually(
        what,
        () => page('?limit=100'),
        ({ incidents: found }) => found.length === COUNT && accept(found),
      );
    const { incidents: settled } = await untilAll('all are investigated or covered', (found) =>
      found.every(({ stage }) => stage === 'reported' || stage === 'joined'),
    );
    // Which one leads is settled only now: any of the first may be placed first, and nobody joins what is over.
    const { title } = settled.find(({ covers }) => covers > 10) ?? settled[0]!;
    await send(Number(title.replace('Alert', '')), 'resolved');
    all = (await untilAll('one is over', (found) => found.some(({ state }) => state === 'resolved'))).incidents;
    lead = all.find(({ covers }) => covers > 10) ?? all[0]!;
    member = all.find(({ coveredBy }) => coveredBy === lead.id) ?? all[0]!;
    storm = member.storm ?? '';
  }, 240_000);
  afterAll(async () => {
    await stopRootnotes();
    await redis.stop();
  });

  test('GET /api/v1/incidents takes the credentials of the API, and only GET', async () => {
    expect(await get('', {})).toMatchObject({ status: 401 });
    expect(await get(`/${lead.id}`, { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 });
    const posted = await fetch(`${rootnote.url}/api/v1/incidents`, { method: 'POST', headers: { authorization } });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  });

  test('it is read page by page, newest first, each incident once', async () => {
    const ids: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const found: Page = await page(`?limit=7${next === '' ? '' : `&before=${next}`}`);
      ids.push(...found.incidents.map(({ id }) => id));
      next = found.next;
    }
    expect(ids).toEqual(all.map(({ id }) => id));
    expect(ids).toHaveLength(COUNT);
  });

  test('it is filtered by state; what it cannot read is said', async () => {
    const over = await page('?state=resolved&limit=5');
    expect(over).toMatchObject({ incidents: [{ id: lead.id, state: 'resolved' }], next: null });
    expect((await page('?state=firing&limit=100')).incidents).toHaveLength(COUNT - 1);
    for (const query of ['?state=open', '?limit=0', '?limit=101', '?before=a%20b'])
      expect(await get(query)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    expect(await page('?before=inc_unknown')).toEqual({ incidents: [], next: null, undecided: null });
  });

  test('GET /api/v1/incidents/:id has an incident with those that are investigated with it, or a storm', async () => {
    const details = (await get(`/${lead.id}`)).body as Incident & { members: readonly Incident[] };
    expect(details).toMatchObject({ id: lead.id, report: `rep_${lead.id}`, storm, decisions: expect.any(Array) });
    expect(details.members).toHaveLength(lead.covers);
    expect(details.members).toContainEqual(expect.objectContaining({ id: member.id, state: 'firing' }));
    const whole = (await get(`/${storm}`)).body as { incidents: number; investigations: readonly object[] };
    expect(whole).toMatchObject({ id: storm, overAt: null });
    expect(whole.investigations).toContainEqual(expect.objectContaining({ incidentId: lead.id, covers: lead.covers }));
    expect(await get('/inc_unknown')).toEqual({ status: 404, body: { error: 'no such incident' } });
    expect(await get('/storm_unknown')).toMatchObject({ status: 404 });
  });

  test('incidents list shows the storm and into which incident a row joined', async () => {
    const lines = (await incidents()).split('\n');
    expect(lines[0]).toMatch(
      new RegExp(
        `  ${storm}  ALERT STORM on for .*: \\d+ incidents: \\d+ investigated, \\d+ joined to those; \\d+ still fire`,
      ),
    );
    expect(lines.find((line) => line.includes(`  ${member.id}  `))).toContain(`, joined ${lead.id}  [warning] `);
    expect(lines.find((line) => line.includes(`  ${lead.id}  `))).toContain(`, reported with ${lead.covers} others  `);
  });

  test('incidents show of a lead names the storm and all its members', async () => {
    const text = await incidents(lead.id);
    expect(text).toContain(`  storm     ${storm} (`);
    expect(text).toContain(`\nInvestigated with it (${lead.covers}):\n`);
    expect(text.match(/^ {2}inc_\w+ {2}firing {2}\[warning\] Alert\d+$/gm)).toHaveLength(lead.covers);
  });

  test('incidents show of a storm tells how it stands, its investigations with their members, and what was told', async () => {
    const text = await incidents(storm);
    expect(text).toMatch(new RegExp(`^Alert storm  \\(${storm}\\)\n  state     on\n  began     20`));
    expect(text).toContain(`  ${lead.id}  reported, with ${lead.covers} others  [warning] ${lead.title}\n`);
    expect(text).toContain('    inconclusive: ');
    expect(text).toContain(`\n      … and ${lead.covers - 10} more, see rootnote incidents show ${lead.id}\n`);
    await eventually(
      'the summary is told',
      () => incidents(storm),
      (shown) => /\nTold:\n {2}file: storm-\d+ /.test(shown),
    );
    expect(JSON.parse(await incidents(storm, true))).toMatchObject({ id: storm, deliveries: expect.any(Array) });
  });

  test('reports show of a lead says for whom it stands, too; of a member it shows that report, and says so', async () => {
    const own = await read('reports', lead.id);
    expect(own.text).toMatch(new RegExp(`^${lead.title}\n`));
    expect(own.text).toMatch(
      new RegExp(
        `\nfor ${lead.covers} connected incidents, too: (Alert\\d+, ){4}Alert\\d+ and ${lead.covers - 5} more `,
      ),
    );
    expect(own.text).toContain(`\npart of ${storm} (`);
    const { text, isFound } = await read('reports', member.id);
    expect(isFound).toBe(true);
    expect(text).toMatch(
      new RegExp(`^${member.id} \\(${member.title}\\) is investigated with ${lead.id}, whose report this is:\n\n`),
    );
    expect(JSON.parse((await read('reports', member.id, true)).text)).toMatchObject({
      id: `rep_${lead.id}`,
      askedFor: member.id,
      covers: lead.covers,
    });
    expect(await read('sessions', member.id)).toEqual({
      text: `${member.id} is investigated with ${lead.id}; see rootnote sessions show ${lead.id}`,
      isFound: false,
    });
  });

  test('an id may be shortened to a beginning that no other has', async () => {
    const shorter = lead.id.slice(0, 14);
    expect((await read('reports', `rep_${shorter}`)).text).toBe((await read('reports', lead.id)).text);
    expect((await read('sessions', shorter)).text).toMatch(new RegExp(`^ses_${lead.id}\n`));
    expect(await incidents('storm_')).toContain(`(${storm})`);
    await expect(incidents('inc_')).rejects.toThrow(/^several ids begin with inc_: inc_\w+, .*, …$/);
    expect((await read('reports', 'inc_*')).text).toBe('nothing is stored under inc_*; see rootnote reports list');
  });
});

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../src/config/load-config.ts';
import { createPagerDutyDestination } from '../../src/destinations/pagerduty/pagerduty-destination.ts';
import { createTeamsDestination } from '../../src/destinations/teams/teams-destination.ts';
import { makeIncident, reportContent, stormSummary, updateContent } from '../support/delivery-content.ts';
import { context } from '../support/destination-cases.ts';
import { startPagerDuty, type PagerDutyServer } from '../support/pagerduty/server.ts';
import { seeCard, startTeams, type TeamsServer } from '../support/teams/server.ts';

const signal = new AbortController().signal;

describe('PagerDuty notes', () => {
  let server: PagerDutyServer;
  beforeEach(async () => {
    server = await startPagerDuty();
  });
  afterEach(() => server.close());
  const incident = () => ({ source: 'pagerduty', labels: { pagerduty_incident: server.incidentId } });
  const destination = (from: string | undefined = server.userEmail) =>
    createPagerDutyDestination({ apiUrl: server.url, token: server.token, from });
  const unsigned = () => createPagerDutyDestination({ apiUrl: server.url, token: server.token, from: undefined });

  test('only incidents that PagerDuty sent are written on', async () => {
    expect(destination().accepts?.(makeIncident(incident()))).toBe(true);
    expect(destination().accepts?.(makeIncident({ ...incident(), source: 'alertmanager' }))).toBe(false);
    expect(await destination().deliver(reportContent(), context())).toMatchObject({ outcome: 'give-up' });
    expect(server.calls).toEqual([]);
  });

  test.each(['RCA Bot', 'P1ABCDE', '@example.com', 'bot@'])(
    'case 19: PAGERDUTY_FROM=%j is refused at start, by name',
    (from) => {
      expect(() => parseConfig({ PAGERDUTY_API_TOKEN: 't', PAGERDUTY_FROM: from })).toThrow(
        /PAGERDUTY_FROM: must be the e-mail address of a PagerDuty user/,
      );
    },
  );

  test('case 19: an address is taken, an empty value counts as unset', () => {
    expect(parseConfig({ PAGERDUTY_API_TOKEN: 't', PAGERDUTY_FROM: 'rca-bot@example.com' }).PAGERDUTY_FROM).toBe(
      'rca-bot@example.com',
    );
    expect(parseConfig({ PAGERDUTY_API_TOKEN: 't', PAGERDUTY_FROM: '' }).PAGERDUTY_FROM).toBeUndefined();
  });

  test('an account-level key without a signer, and a signer that nobody is, are final and say what to set', async () => {
    expect(await unsigned().deliver(reportContent({}, incident()), context())).toMatchObject({
      outcome: 'give-up',
      reason: expect.stringContaining('code 2016: this API key is of the account: set PAGERDUTY_FROM'),
    });
    expect(await destination('nobody@example.com').deliver(reportContent({}, incident()), context())).toMatchObject({
      outcome: 'give-up',
      reason: expect.stringContaining('code 1008: no PagerDuty user has the e-mail address in PAGERDUTY_FROM'),
    });
    expect(await destination('RCA Bot').deliver(reportContent({}, incident()), context())).toMatchObject({
      outcome: 'give-up',
      reason: expect.stringContaining('code 1028'),
    });
    expect(server.calls).toHaveLength(3);
    expect(server.notes).toEqual([]);
  });

  test("a user's key needs no signer", async () => {
    server.keyOf = 'user';
    expect(await unsigned().deliver(reportContent({}, incident()), context())).toMatchObject({ outcome: 'ok' });
  });

  test('the note begins with the verdict, is short, and ends with its marker', async () => {
    await destination().deliver(reportContent({}, incident()), context());
    const { content = '' } = server.notes[0] ?? {};
    expect(content.split('\n')[2]).toBe('Root cause: orders-db · connection exhaustion · confidence high (0.86)');
    expect(content.length).toBeLessThanOrEqual(4000);
    expect(content.endsWith('\n\nRootnote rn-0123456789abcdef')).toBe(true);
  });

  test('a note of unknown outcome is found behind the first page, and a quotation of its marker is not taken for it', async () => {
    for (let i = 0; i < 7; i++)
      server.notes.push({ id: `P${i}`, content: `somebody quotes rn-0123456789abcdef at ${i}` });
    server.fail({ kind: 'lost' });
    await destination().deliver(reportContent({}, incident()), context());
    const again = await destination().deliver(reportContent({}, incident()), context({ mayHavePosted: true }));
    expect(again).toMatchObject({ outcome: 'ok', handle: { note: 'PN8' } });
    expect(server.notes).toHaveLength(8);
  });

  test('an update is a note only when the verdict is another one', async () => {
    const first = await destination().deliver(reportContent({}, incident()), context());
    const handle = first.outcome === 'ok' ? first.handle : undefined;
    const same = updateContent({ confidence: 0.7 }, incident());
    const other = updateContent({ root_cause_service: 'payments' }, incident());
    expect(await destination().deliver(same, context({ handle }))).toEqual({ outcome: 'ok', handle });
    expect(server.notes).toHaveLength(1);
    const changed = await destination().deliver(other, context({ handle, marker: 'rn-u1' }));
    expect(server.notes).toHaveLength(2);
    const next = changed.outcome === 'ok' ? changed.handle : undefined;
    await destination().deliver(other, context({ handle: next, marker: 'rn-u2' }));
    expect(server.notes).toHaveLength(2);
  });

  test('a later look that speaks against the verdict is a note, too', async () => {
    const first = await destination().deliver(reportContent({}, incident()), context());
    const handle = first.outcome === 'ok' ? first.handle : undefined;
    const changes = [{ what: 'root_cause_service' as const, statement: 'payments ranks first now', evidence: [] }];
    const update = updateContent({ revision: { changes } } as never, incident());
    await destination().deliver(update, context({ handle, marker: 'rn-u1' }));
    expect(server.notes[1]?.content).toContain('Update: the leading suspect changed');
  });

  test('that another destination could not be told is a short note, whatever became of the verdict', async () => {
    const first = await destination().deliver(reportContent({}, incident()), context());
    const handle = first.outcome === 'ok' ? first.handle : undefined;
    const news = 'The report could not be delivered to slack: Slack says not_in_channel.';
    const notice = { ...updateContent({}, incident()), news, isNotice: true } as const;
    await destination().deliver(notice, context({ handle, marker: 'rn-n1' }));
    expect(server.notes).toHaveLength(2);
    expect(server.notes[1]?.content).toContain(`Update: ${news}`);
    expect(server.notes[1]?.content).not.toContain('Evidence');
  });

  test('429 is waited out: as long as the limit lasts, or as the back-off says when no time is named', async () => {
    server.fail(
      { kind: 'answer', status: 429, headers: { 'ratelimit-limit': '960', 'ratelimit-reset': '17' } },
      { kind: 'answer', status: 429 },
    );
    const deliver = () => destination().deliver(reportContent({}, incident()), context());
    expect(await deliver()).toMatchObject({ outcome: 'retry', afterMs: 17_000, posted: 'no' });
    const second = await deliver();
    expect(second).toMatchObject({ outcome: 'retry', posted: 'no' });
    expect(second).not.toHaveProperty('afterMs');
  });

  test('an incident that is full of notes is given up', async () => {
    server.pageSize = 100;
    for (let i = 0; i < 2000; i++) server.notes.push({ id: `P${i}`, content: 'x' });
    const deliver = (mayHavePosted: boolean) =>
      destination().deliver(reportContent({}, incident()), context({ mayHavePosted }));
    expect(await deliver(false)).toMatchObject({ outcome: 'give-up' });
    expect(await deliver(true)).toMatchObject({ outcome: 'give-up' });
  });

  test('doctor names who signs, and what is missing', async () => {
    expect(await destination().check(signal)).toEqual({
      name: 'pagerduty',
      status: 'ok',
      value: 'notes are signed by Rootnote (rootnote@example.com)',
    });
    expect(await unsigned().check(signal)).toMatchObject({
      status: 'fail',
      remedy: expect.stringMatching(/PAGERDUTY_FROM/),
    });
    expect(await destination('nobody@example.com').check(signal)).toMatchObject({ status: 'fail' });
    server.keyOf = 'user';
    expect(await unsigned().check(signal)).toMatchObject({ status: 'ok', value: 'key of Rootnote' });
  });
});

describe('Teams', () => {
  let server: TeamsServer;
  beforeEach(async () => {
    server = await startTeams();
  });
  afterEach(() => server.close());

  test('a card stands below 28 KB, in runs that no Markdown is read from, with buttons for our links', async () => {
    const destination = createTeamsDestination({ url: server.workflowUrl });
    expect(await destination.deliver(reportContent(), context())).toMatchObject({ outcome: 'ok' });
    const [card] = server.cards;
    expect(card?.body.every(({ type }) => type === 'RichTextBlock')).toBe(true);
    expect(card?.actions?.map(({ title, type }) => `${type} ${title}`)).toEqual([
      'Action.OpenUrl alert · alerts.example.com',
      'Action.OpenUrl runbook · runbooks.example.com',
    ]);
    expect(card?.fallbackText).toBe('🔴 FIRING · CheckoutErrorsHigh · checkout');
  });

  test('a workflow that is gone or off is final and says so', async () => {
    const destination = createTeamsDestination({ url: server.workflowUrl.replace('test-signature', 'other') });
    expect(await destination.deliver(reportContent(), context())).toMatchObject({
      outcome: 'give-up',
      reason: expect.stringContaining('set TEAMS_WORKFLOW_URL to its present URL'),
    });
  });

  test('doctor does not post, and knows that connectors are no more', async () => {
    const retired = createTeamsDestination({ url: 'https://acme.webhook.office.com/webhookb2/x/IncomingWebhook/y/z' });
    expect(await retired.check(signal)).toMatchObject({ status: 'fail', value: expect.stringMatching(/retired/) });
    const flow = createTeamsDestination({ url: 'https://prod.logic.azure.example/workflows/secret-path?sig=s3cr3t' });
    const result = await flow.check(signal);
    expect(result).toMatchObject({ status: 'warn' });
    expect(JSON.stringify(result)).not.toMatch(/s3cr3t|secret-path/);
  });

  test('a storm is two cards at Teams: at its beginning and at its end', async () => {
    const destination = createTeamsDestination({ url: server.workflowUrl });
    const first = await destination.deliverStorm?.(stormSummary(), context());
    const handle = first?.outcome === 'ok' ? first.handle : undefined;
    await destination.deliverStorm?.(stormSummary(), context({ handle }));
    await destination.deliverStorm?.(stormSummary({ isOver: true }), context({ handle }));
    expect(server.cards.map(({ fallbackText }) => fallbackText)).toEqual([
      '🌩️ ALERT STORM · 40 incidents, 312 alerts',
      '🟡 STORM OVER · 40 incidents, 312 alerts',
    ]);
    const { text } = seeCard(server.cards[0] ?? { type: '', version: '', body: [] });
    expect(text).toContain('CheckoutErrorsHigh (critical) and 30 more incidents · reported — orders-db ran out');
    expect(text).toContain('8 more are not listed');
    expect(seeCard(server.cards[1] ?? { type: '', version: '', body: [] }).text).toContain('38 of 40 still fire');
  });
});

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../src/config/load-config.ts';
import { createGitHubDestination } from '../../src/destinations/github/github-destination.ts';
import { createJiraDestination, type JiraOptions } from '../../src/destinations/jira/jira-destination.ts';
import { createPagerDutyDestination } from '../../src/destinations/pagerduty/pagerduty-destination.ts';
import { createTeamsDestination } from '../../src/destinations/teams/teams-destination.ts';
import { makeIncident, reportContent, resolvedContent, updateContent } from '../support/delivery-content.ts';
import { context } from '../support/destination-cases.ts';
import { startGitHub, type GitHubServer } from '../support/github/server.ts';
import { seeJira, startJira, type JiraServer } from '../support/jira/server.ts';
import { startPagerDuty, type PagerDutyServer } from '../support/pagerduty/server.ts';
import { startTeams } from '../support/teams/server.ts';

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

describe.each(['cloud', 'datacenter'] as const)('Jira %s', (deployment) => {
  let server: JiraServer;
  beforeEach(async () => {
    server = await startJira(deployment);
  });
  afterEach(() => server.close());
  const destination = (options: Partial<JiraOptions> = {}) =>
    createJiraDestination({
      url: server.url,
      deployment,
      email: deployment === 'cloud' ? server.email : undefined,
      token: server.token,
      project: server.project,
      issueType: 'Bug',
      labels: ['on-call'],
      lookAgainAfterMs: 1,
      ...options,
    });

  test('an issue has one line as its summary, our labels, and a link for the store', async () => {
    const result = await destination().deliver(reportContent(), context());
    expect(result).toEqual({ outcome: 'ok', handle: { key: 'OPS-1', url: `${server.url}/browse/OPS-1` } });
    expect(server.issues[0]).toMatchObject({
      summary: 'CheckoutErrorsHigh · checkout',
      labels: ['rootnote', 'rn-0123456789abcdef', 'on-call'],
    });
  });

  test('labels that the screen does not have are left out, and the post is found all the same', async () => {
    server.labelsOnScreen = false;
    // The first answer refuses the labels, the second is lost.
    server.fail({
      kind: 'answer',
      status: 400,
      body: { errorMessages: [], errors: { labels: "Field 'labels' cannot be set." } },
    });
    server.fail({ kind: 'lost' });
    expect(await destination().deliver(reportContent(), context())).toMatchObject({ outcome: 'retry' });
    expect(await destination().deliver(reportContent(), context({ mayHavePosted: true }))).toMatchObject({
      outcome: 'ok',
      handle: { key: 'OPS-1' },
    });
    expect(server.issues).toHaveLength(1);
    expect(server.issues[0]?.labels).toEqual([]);
  });

  test('search lags: it is asked twice before anything is posted again', async () => {
    server.searchLag = 1;
    server.fail({ kind: 'lost' });
    await destination().deliver(reportContent(), context());
    expect(await destination().deliver(reportContent(), context({ mayHavePosted: true }))).toMatchObject({
      handle: { key: 'OPS-1' },
    });
    expect(server.issues).toHaveLength(1);
    expect(server.calls.filter(({ path }) => path.includes('/search'))).toHaveLength(2);
  });

  test('updates and the end are comments, once each, found in the list of comments', async () => {
    const first = await destination().deliver(reportContent(), context());
    const handle = first.outcome === 'ok' ? first.handle : undefined;
    const contents = [updateContent(), resolvedContent()];
    for (const [index, content] of contents.entries()) {
      const marker = `rn-follows-${index}`;
      server.fail({ kind: 'lost' });
      expect(await destination().deliver(content, context({ marker, handle }))).toMatchObject({ outcome: 'retry' });
      expect(await destination().deliver(content, context({ marker, handle, mayHavePosted: true }))).toEqual({
        outcome: 'ok',
        handle,
      });
    }
    const texts = server.issues[0]?.comments.map(({ body }) => seeJira(body).text) ?? [];
    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain('Update: the leading suspect changed');
    expect(texts[1]).toContain('RESOLVED after 12 min');
    expect(server.issues).toHaveLength(1);
  });

  test('an update without a report before it opens the issue; an end does not', async () => {
    expect(await destination().deliver(updateContent(), context())).toMatchObject({ handle: { key: 'OPS-1' } });
    expect(await destination().deliver(resolvedContent(), context())).toMatchObject({ outcome: 'give-up' });
    expect(server.issues).toHaveLength(1);
  });

  test('what Jira says of a field stands in the reason, with what to look at', async () => {
    expect(await destination({ issueType: 'Epos' }).deliver(reportContent(), context())).toMatchObject({
      outcome: 'give-up',
      reason: expect.stringMatching(/^HTTP 400: Jira refuses a field: check JIRA_PROJECT, JIRA_ISSUE_TYPE.*issuetype:/),
    });
  });

  test('doctor shows who and where, and names the types there are', async () => {
    expect(await destination().check(signal)).toEqual({
      name: 'jira',
      status: 'ok',
      value: 'Rootnote; project OPS (Operations), issue type Bug',
    });
    expect(await destination({ issueType: 'Epos' }).check(signal)).toMatchObject({
      status: 'fail',
      remedy: 'set JIRA_ISSUE_TYPE to one of: Task, Bug',
    });
    expect(await destination({ project: 'NONE' }).check(signal)).toMatchObject({ status: 'fail' });
    expect(await destination({ token: 'wrong' }).check(signal)).toMatchObject({
      status: 'fail',
      value: expect.stringMatching(/^HTTP 401/),
    });
    server.mayCreate = false;
    expect(await destination().check(signal)).toMatchObject({
      status: 'fail',
      value: expect.stringMatching(/without CREATE_ISSUES$/),
    });
  });
});

describe('GitHub issues', () => {
  let server: GitHubServer;
  beforeEach(async () => {
    server = await startGitHub();
  });
  afterEach(() => server.close());
  const destination = () =>
    createGitHubDestination({ apiUrl: server.url, token: server.token, repository: server.repository });
  const deliver = (overrides = {}) => destination().deliver(reportContent(), context(overrides));

  test('the issue is ours by label and marker, and later contents are comments that close nothing', async () => {
    const first = await deliver();
    const handle = first.outcome === 'ok' ? first.handle : undefined;
    expect(handle).toEqual({ issue: '1', url: 'https://github.example/acme/incidents/issues/1' });
    expect(server.issues[0]).toMatchObject({ title: 'CheckoutErrorsHigh · checkout', labels: ['rootnote'] });
    expect(server.issues[0]?.body.endsWith('\n\n<!-- rootnote rn-0123456789abcdef -->')).toBe(true);
    for (const [index, content] of [updateContent(), resolvedContent()].entries()) {
      const marker = `rn-follows-${index}`;
      server.fail({ kind: 'lost' });
      await destination().deliver(content, context({ marker, handle }));
      await destination().deliver(content, context({ marker, handle, mayHavePosted: true }));
    }
    expect(server.comments).toHaveLength(2);
    expect(server.issues).toHaveLength(1);
    expect(server.calls.every(({ method }) => method === 'GET' || method === 'POST')).toBe(true);
  });

  test('without the right to label, a post of unknown outcome is found all the same', async () => {
    server.mayLabel = false;
    for (let i = 0; i < 150; i++) {
      const body = 'quoting <!-- rootnote rn-0123456789abcdef --> here';
      server.issues.push({ id: i, number: i + 1, title: 't', labels: [], body, createdAt: server.now });
    }
    server.fail({ kind: 'lost' });
    await deliver();
    server.issues.push(...Array.from({ length: 120 }, (_, i) => ({
      id: 900 + i, number: 200 + i, title: 'later', labels: [], body: 'later', createdAt: server.now,
    }))); // prettier-ignore
    expect(await deliver({ mayHavePosted: true })).toMatchObject({ outcome: 'ok', handle: { issue: '151' } });
    expect(server.issues.filter(({ title }) => title.startsWith('Checkout'))).toHaveLength(1);
  });

  test('too fast is not the same as not allowed', async () => {
    const message = 'You have exceeded a secondary rate limit';
    const inTenMinutes = String(Math.floor(Date.now() / 1000) + 600);
    server.fail(
      { kind: 'answer', status: 403, headers: { 'retry-after': '30' }, body: { message } },
      { kind: 'answer', status: 403, body: { message } },
      {
        kind: 'answer',
        status: 403,
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inTenMinutes },
        body: { message: 'API rate limit exceeded' },
      },
      { kind: 'answer', status: 403, body: { message: 'Resource not accessible by personal access token' } },
    );
    expect(await deliver()).toMatchObject({ outcome: 'retry', afterMs: 30_000, posted: 'no' });
    expect(await deliver()).toMatchObject({ outcome: 'retry', afterMs: 60_000, posted: 'no' });
    const spent = await deliver();
    expect(spent).toMatchObject({ outcome: 'retry', posted: 'no' });
    expect(spent.outcome === 'retry' ? spent.afterMs : 0).toBeGreaterThan(500_000);
    expect(await deliver()).toMatchObject({
      outcome: 'give-up',
      reason: expect.stringContaining('needs Issues: read and write'),
    });
  });

  test('disabled issues, a repository that moved or is not seen: final, with what to do', async () => {
    server.hasIssues = false;
    expect(await deliver()).toMatchObject({
      outcome: 'give-up',
      reason: expect.stringContaining('issues are disabled'),
    });
    server.hasIssues = true;
    server.fail({ kind: 'answer', status: 301, body: { message: 'Moved Permanently' } });
    expect(await deliver()).toMatchObject({ outcome: 'give-up', reason: expect.stringContaining('its new name') });
    const other = createGitHubDestination({ apiUrl: server.url, token: server.token, repository: 'acme/none' });
    expect(await other.deliver(reportContent(), context())).toMatchObject({
      outcome: 'give-up',
      reason: expect.stringContaining('GITHUB_ISSUES_REPOSITORY'),
    });
  });

  test('doctor warns of a public repository and of labels that would be left out', async () => {
    expect(await destination().check(signal)).toEqual({
      name: 'github',
      status: 'ok',
      value: 'private repository acme/incidents; nothing was posted',
    });
    server.mayLabel = false;
    expect(await destination().check(signal)).toMatchObject({
      status: 'warn',
      value: expect.stringMatching(/without the right to set labels/),
    });
    server.isPrivate = false;
    expect(await destination().check(signal)).toMatchObject({
      status: 'warn',
      remedy: expect.stringMatching(/private one/),
    });
    server.hasIssues = false;
    expect(await destination().check(signal)).toMatchObject({
      status: 'fail',
      remedy: expect.stringMatching(/enable issues/),
    });
  });
});

describe('Teams', () => {
  test('a card stands below 28 KB, in runs that no Markdown is read from, with buttons for our links', async () => {
    const server = await startTeams();
    const destination = createTeamsDestination({ url: server.workflowUrl });
    expect(await destination.deliver(reportContent(), context())).toEqual({ outcome: 'ok' });
    const [card] = server.cards;
    expect(card?.body.every(({ type }) => type === 'RichTextBlock')).toBe(true);
    expect(card?.actions?.map(({ title, type }) => `${type} ${title}`)).toEqual([
      'Action.OpenUrl alert',
      'Action.OpenUrl runbook',
    ]);
    expect(card?.fallbackText).toBe('🔴 FIRING · CheckoutErrorsHigh · checkout');
    await server.close();
  });

  test('a workflow that is gone or off is final and says so', async () => {
    const server = await startTeams();
    const destination = createTeamsDestination({ url: server.workflowUrl.replace('test-signature', 'other') });
    expect(await destination.deliver(reportContent(), context())).toMatchObject({
      outcome: 'give-up',
      reason: expect.stringContaining('set TEAMS_WORKFLOW_URL to its present URL'),
    });
    await server.close();
  });

  test('doctor does not post, and knows that connectors are no more', async () => {
    const retired = createTeamsDestination({ url: 'https://acme.webhook.office.com/webhookb2/x/IncomingWebhook/y/z' });
    expect(await retired.check(signal)).toMatchObject({ status: 'fail', value: expect.stringMatching(/retired/) });
    const flow = createTeamsDestination({ url: 'https://prod.logic.azure.example/workflows/secret-path?sig=s3cr3t' });
    const result = await flow.check(signal);
    expect(result).toMatchObject({ status: 'warn' });
    expect(JSON.stringify(result)).not.toMatch(/s3cr3t|secret-path/);
  });
});

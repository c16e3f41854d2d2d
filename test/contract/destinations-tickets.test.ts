import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createGitHubDestination } from '../../src/destinations/github/github-destination.ts';
import { createJiraDestination, type JiraOptions } from '../../src/destinations/jira/jira-destination.ts';
import type { DeliveryHandle } from '../../src/domain/delivery.ts';
import { reportContent, resolvedContent, stormSummary, updateContent } from '../support/delivery-content.ts';
import { context } from '../support/destination-cases.ts';
import { startGitHub, type GitHubServer } from '../support/github/server.ts';
import { seeJira, startJira, type JiraServer } from '../support/jira/server.ts';

const signal = new AbortController().signal;

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
    expect(result).toEqual({
      outcome: 'ok',
      handle: { key: 'OPS-1', url: `${server.url}/browse/OPS-1`, toldAt: '2026-11-29T10:00:41.000Z' },
    });
    expect(server.issues[0]).toMatchObject({
      summary: 'CheckoutErrorsHigh · checkout',
      labels: ['rootnote', 'inc_7f3a9c', 'rn-0123456789abcdef', 'on-call'],
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
    expect(await destination().deliver(resolvedContent(), context())).toMatchObject({ outcome: 'give-up' });
    expect(await destination().deliver(updateContent(), context())).toMatchObject({ handle: { key: 'OPS-1' } });
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
    expect(handle).toEqual({
      issue: '1',
      url: 'https://github.example/acme/incidents/issues/1',
      toldAt: '2026-11-29T10:00:41.000Z',
    });
    expect(server.issues[0]).toMatchObject({ title: 'CheckoutErrorsHigh · checkout', labels: ['rootnote'] });
    expect(server.issues[0]?.body.endsWith('\n\n<!-- rootnote inc_7f3a9c rn-0123456789abcdef -->')).toBe(true);
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
      const body = 'somebody quotes\n> <!-- rootnote inc_7f3a9c rn-0123456789abcdef -->';
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

async function jiraPlace() {
  const server = await startJira('cloud');
  const { url, email, token, project } = server;
  const access = { url, deployment: 'cloud' as const, email, token };
  return {
    server,
    destination: createJiraDestination({ ...access, project, issueType: 'Task', labels: [], lookAgainAfterMs: 1 }),
    tickets: () => server.issues.length,
    comments: () => server.issues.reduce((sum, { comments }) => sum + comments.length, 0),
  };
}

async function githubPlace() {
  const server = await startGitHub();
  const { url: apiUrl, token, repository } = server;
  return {
    server,
    destination: createGitHubDestination({ apiUrl, token, repository }),
    tickets: () => server.issues.length,
    comments: () => server.comments.length,
  };
}

describe.each([
  ['jira', jiraPlace],
  ['github', githubPlace],
])('one ticket an incident at %s', (_name, open) => {
  let it: Awaited<ReturnType<typeof jiraPlace>> | Awaited<ReturnType<typeof githubPlace>>;
  beforeEach(async () => {
    it = await open();
  });
  afterEach(() => it.server.close());

  test('a report whose outcome was never learnt is found by what follows it', async () => {
    it.server.fail({ kind: 'lost' });
    await it.destination.deliver(reportContent(), context({ marker: 'rn-report' }));
    const update = await it.destination.deliver(updateContent(), context({ marker: 'rn-update' }));
    const end = await it.destination.deliver(resolvedContent(), context({ marker: 'rn-end' }));
    expect(update).toMatchObject({ outcome: 'ok' });
    expect(end).toEqual(update);
    expect([it.tickets(), it.comments()]).toEqual([1, 2]);
  });

  test('an update that opened the ticket is not commented on it by its next attempt', async () => {
    it.server.fail({ kind: 'lost' });
    await it.destination.deliver(updateContent(), context({ marker: 'rn-update' }));
    const again = await it.destination.deliver(updateContent(), context({ marker: 'rn-update', mayHavePosted: true }));
    expect(again).toMatchObject({ outcome: 'ok' });
    expect([it.tickets(), it.comments()]).toEqual([1, 0]);
  });

  test('tickets of other incidents are left alone, also where one id begins like another', async () => {
    await it.destination.deliver(reportContent({}, { id: 'inc_7f3a9c_b' }), context({ marker: 'rn-other' }));
    expect(await it.destination.deliver(resolvedContent(), context())).toMatchObject({ outcome: 'give-up' });
    await it.destination.deliver(reportContent(), context({ mayHavePosted: true }));
    expect([it.tickets(), it.comments()]).toEqual([2, 0]);
  });

  test('a storm is one ticket, and one comment when it is over', async () => {
    const tell = async (marker: string, isOver: boolean, handle?: DeliveryHandle) => {
      const result = await it.destination.deliverStorm?.(stormSummary({ isOver }), context({ marker, handle }));
      expect(result).toMatchObject({ outcome: 'ok' });
      return result?.outcome === 'ok' ? result.handle : undefined;
    };
    const handle = await tell('rn-storm-1', false);
    await tell('rn-storm-2', false, handle);
    await tell('rn-storm-3', false, handle);
    expect([it.tickets(), it.comments()]).toEqual([1, 0]);
    await tell('rn-storm-4', true, handle);
    expect([it.tickets(), it.comments()]).toEqual([1, 1]);
  });
});

import { startStandIn, type Answer, type Call, type StandIn } from '../stand-in/server.ts';
import type { Seen } from '../stand-in/words.ts';
import { flawOfDocument, seeDocument, type Node } from './adf.ts';
import { seeWiki } from './wiki.ts';

export interface JiraIssue {
  readonly key: string;
  readonly summary: string;
  readonly description: unknown;
  readonly labels: readonly string[];
  readonly comments: { readonly id: string; readonly body: unknown }[];
  /** Searches that do not find it yet: what was written shows up late. */
  hiddenFor: number;
}

export interface JiraServer extends StandIn {
  readonly deployment: 'cloud' | 'datacenter';
  readonly email: string;
  readonly token: string;
  readonly project: string;
  readonly issues: JiraIssue[];
  labelsOnScreen: boolean;
  searchLag: number;
  mayCreate: boolean;
}

const MAX_TEXT = 32_767;

/** A stand-in for Jira Cloud (version 3, documents) or Data Center (version 2, wiki text) with one project. Written from public documentation. */
export async function startJira(deployment: 'cloud' | 'datacenter'): Promise<JiraServer> {
  const state: State = {
    deployment,
    email: 'rootnote@example.com',
    token: 'jira-test-token',
    project: 'OPS',
    issues: [],
    labelsOnScreen: true,
    searchLag: 0,
    mayCreate: true,
  };
  const server = await startStandIn({
    isWrite: ({ method, path }) => method === 'POST' && !path.includes('/search'),
    answer: (call) => answer(state, call),
  });
  return Object.assign(state, server);
}

type State = Omit<JiraServer, keyof StandIn>;
const refuse = (status: number, errors: Readonly<Record<string, string>>, ...errorMessages: string[]): Answer => ({
  status,
  body: { errorMessages, errors },
});

function answer(state: State, call: Call): Answer {
  const basic = `Basic ${Buffer.from(`${state.email}:${state.token}`).toString('base64')}`;
  const expected = state.deployment === 'cloud' ? basic : `Bearer ${state.token}`;
  if (call.headers.authorization !== expected) return { status: 401 };
  const base = state.deployment === 'cloud' ? '/rest/api/3' : '/rest/api/2';
  if (!call.path.startsWith(`${base}/`)) return { status: 404 };
  const path = call.path.slice(base.length);
  const [, key = ''] = /^\/issue\/([^/]+)\/comment$/.exec(path) ?? [];
  if (key !== '') return comments(state, key, call);
  if (path === '/issue') return createIssue(state, call);
  if (path.startsWith('/search')) return search(state, path, call);
  return look(state, path);
}

function look({ project, mayCreate }: State, path: string): Answer {
  if (path === '/myself') return { status: 200, body: { displayName: 'Rootnote' } };
  if (path === `/project/${project}`) {
    return { status: 200, body: { key: project, name: 'Operations', issueTypes: [{ name: 'Task' }, { name: 'Bug' }] } };
  }
  if (path === '/mypermissions') {
    const permissions = { CREATE_ISSUES: { havePermission: mayCreate }, ADD_COMMENTS: { havePermission: true } };
    return { status: 200, body: { permissions } };
  }
  return refuse(404, {}, `No project could be found`);
}

function createIssue(state: State, { body }: Call): Answer {
  const { fields = {} } = body as { fields?: Record<string, unknown> };
  const { project, issuetype, summary, description, labels } = fields as {
    project?: { key?: string };
    issuetype?: { name?: string };
    summary?: string;
    description?: unknown;
    labels?: string[];
  };
  if (!state.mayCreate) return refuse(403, {}, 'You do not have permission to create issues in this project.');
  if (project?.key !== state.project) return refuse(400, { project: 'valid project is required' });
  if (!['Task', 'Bug'].includes(issuetype?.name ?? '')) return refuse(400, { issuetype: 'Specify a valid issue type' });
  const error = flawOfSummary(summary) ?? flawOfLabels(labels, state) ?? flawOfText('description', description, state);
  if (error) return error;
  const issue = {
    key: `${state.project}-${state.issues.length + 1}`,
    summary: summary ?? '',
    description,
    labels: labels ?? [],
    comments: [],
    hiddenFor: state.searchLag,
  };
  state.issues.push(issue);
  return { status: 201, body: { id: '1', key: issue.key, self: 'https://jira.example/1' } };
}

function flawOfSummary(summary: unknown): Answer | undefined {
  if (typeof summary !== 'string' || summary.trim() === '')
    return refuse(400, { summary: 'You must specify a summary.' });
  if (summary.length > 255) return refuse(400, { summary: 'Summary must be less than 255 characters.' });
  return /[\r\n]/.test(summary)
    ? refuse(400, { summary: 'The summary is invalid because it contains newline characters.' })
    : undefined;
}

function flawOfLabels(labels: readonly string[] | undefined, { labelsOnScreen }: State): Answer | undefined {
  if (labels === undefined) return undefined;
  if (!labelsOnScreen) {
    return refuse(400, { labels: "Field 'labels' cannot be set. It is not on the appropriate screen, or unknown." });
  }
  const isWrong = labels.some((label) => /\s/.test(label) || label.length > 255 || label === '');
  return isWrong ? refuse(400, { labels: 'The label contains spaces which is invalid.' }) : undefined;
}

/** The limit counts what is stored: the document's JSON, or the wiki text. */
function flawOfText(field: string, text: unknown, { deployment }: State): Answer | undefined {
  const isDocument = deployment === 'cloud';
  const stored = isDocument ? JSON.stringify(text) : text;
  if (typeof stored !== 'string' || stored.trim() === '')
    return refuse(400, { [field]: 'Operation value must be text' });
  const flaw = isDocument ? flawOfDocument(text) : undefined;
  if (flaw !== undefined) return refuse(400, { [field]: `INVALID_INPUT: ${flaw}` });
  const message = 'The entered text is too long. It exceeds the allowed limit of 32,767 characters.';
  return stored.length > MAX_TEXT ? refuse(400, { [field]: message }) : undefined;
}

function comments(state: State, key: string, call: Call): Answer {
  const issue = state.issues.find((candidate) => candidate.key === key);
  if (issue === undefined) return refuse(404, {}, 'Issue does not exist or you do not have permission to see it.');
  if (call.method === 'GET') {
    const from = Number(call.query.get('startAt') ?? 0);
    const listed = call.query.get('orderBy') === '-created' ? issue.comments.toReversed() : issue.comments;
    const size = Math.min(100, Number(call.query.get('maxResults') ?? 50));
    return { status: 200, body: { comments: listed.slice(from, from + size), startAt: from, total: listed.length } };
  }
  const { body } = call.body as { body?: unknown };
  const flaw = flawOfText('comment', body, state);
  if (flaw) return flaw;
  const comment = { id: String(issue.comments.length + 1), body };
  issue.comments.push(comment);
  return { status: 201, body: comment };
}

/** Cloud has taken the old search away. The new one wants to know which fields. */
function search(state: State, path: string, { body }: Call): Answer {
  if (state.deployment === 'cloud' && path !== '/search/jql')
    return refuse(410, {}, 'The requested API has been removed.');
  if (state.deployment === 'datacenter' && path !== '/search') return { status: 404 };
  const { jql = '', fields } = body as { jql?: string; fields?: string[] };
  if (!/\b(?:project|labels) = /.test(jql)) return refuse(400, {}, 'Unbounded JQL queries are not allowed here.');
  const label = /labels = "([^"]*)"/.exec(jql)?.[1];
  const phrase = /description ~ "\\"([^"\\]*)\\""/.exec(jql)?.[1];
  const found = state.issues.filter((issue) => {
    if (issue.hiddenFor-- > 0) return false;
    return issue.labels.includes(label ?? '') || JSON.stringify(issue.description).includes(phrase ?? '\n');
  });
  // Without `fields` only ids come back.
  const shown = (issue: JiraIssue) =>
    fields === undefined
      ? { id: '1' }
      : { id: '1', key: issue.key, fields: { labels: issue.labels, description: issue.description } };
  return { status: 200, body: { issues: found.map(shown), isLast: true } };
}

/** A description or comment as a person sees it. */
export function seeJira(text: unknown): Seen {
  return typeof text === 'string' ? seeWiki(text) : seeDocument(text as Node);
}

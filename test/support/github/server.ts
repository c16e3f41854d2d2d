import { startStandIn, type Answer, type Call, type StandIn } from '../stand-in/server.ts';

export interface Posted {
  readonly id: number;
  readonly body: string;
  readonly createdAt: string;
}
export interface Issue extends Posted {
  readonly number: number;
  readonly title: string;
  readonly labels: readonly string[];
}

export interface GitHubServer extends StandIn {
  readonly token: string;
  readonly repository: string;
  readonly issues: Issue[];
  readonly comments: (Posted & { readonly issue: number })[];
  hasIssues: boolean;
  /** False: labels are left out, and nothing is said. */
  mayLabel: boolean;
  isPrivate: boolean;
  /** ISO 8601, of what is written next. */
  now: string;
}

const MAX_BODY = 65_536;
const MAX_TITLE = 256;

/** A stand-in for the issues of one repository in GitHub's REST API. Written from its public documentation. */
export async function startGitHub(): Promise<GitHubServer> {
  const state: State = {
    token: 'github-test-token',
    repository: 'acme/incidents',
    issues: [],
    comments: [],
    hasIssues: true,
    mayLabel: true,
    isPrivate: true,
    now: '2026-11-29T10:01:00Z',
  };
  const server = await startStandIn({
    isWrite: ({ method }) => method === 'POST',
    answer: (call) => answer(state, call),
  });
  return Object.assign(state, server);
}

type State = Omit<GitHubServer, keyof StandIn>;
const refuse = (status: number, message: string, errors?: object[]): Answer => ({ status, body: { message, errors } });

function answer(state: State, call: Call): Answer {
  if (call.headers['user-agent'] === undefined) return refuse(403, 'Request forbidden by administrative rules');
  if (call.headers.authorization !== `Bearer ${state.token}`) return refuse(401, 'Bad credentials');
  const base = `/repos/${state.repository}`;
  if (call.path === base) return describe(state);
  if (!call.path.startsWith(`${base}/issues`)) return refuse(404, 'Not Found');
  if (!state.hasIssues) return refuse(410, 'Issues has been disabled in this repository.');
  const commented = /\/issues\/(\d+)\/comments$/.exec(call.path);
  if (commented) return comments(state, Number(commented[1]), call);
  return call.method === 'GET' ? listIssues(state, call) : createIssue(state, call);
}

function describe({ repository, hasIssues, isPrivate, mayLabel }: State): Answer {
  const permissions = { pull: true, triage: mayLabel, push: mayLabel };
  return {
    status: 200,
    body: { full_name: repository, has_issues: hasIssues, private: isPrivate, archived: false, permissions },
  };
}

function createIssue(state: State, { body }: Call): Answer {
  const { title, body: text, labels } = body as { title?: unknown; body?: unknown; labels?: string[] };
  if (typeof title !== 'string' || title.trim() === '') return refuse(422, 'Validation Failed', [{ field: 'title' }]);
  if (title.length > MAX_TITLE) return refuse(422, 'title is too long (maximum is 256 characters)');
  const flaw = flawOf(text);
  if (flaw) return flaw;
  const number = state.issues.length + 1;
  const issue = {
    id: 1000 + number,
    number,
    title,
    body: text as string,
    labels: state.mayLabel ? (labels ?? []) : [],
    createdAt: state.now,
  };
  state.issues.push(issue);
  return { status: 201, body: shown(issue, state) };
}

function comments(state: State, issue: number, call: Call): Answer {
  if (!state.issues.some(({ number }) => number === issue)) return refuse(404, 'Not Found');
  const ofIssue = state.comments.filter((comment) => comment.issue === issue);
  if (call.method === 'GET') {
    const since = call.query.get('since') ?? '';
    return page(
      ofIssue
        .filter(({ createdAt }) => Date.parse(createdAt) >= Date.parse(since))
        .map(({ id, body }) => ({ id, body })),
      call,
    );
  }
  const text = (call.body as { body?: unknown }).body;
  const flaw = flawOf(text);
  if (flaw) return flaw;
  const comment = { id: 5000 + state.comments.length, issue, body: text as string, createdAt: state.now };
  state.comments.push(comment);
  return { status: 201, body: { id: comment.id } };
}

function flawOf(text: unknown): Answer | undefined {
  if (typeof text !== 'string' || text.trim() === '') return refuse(422, 'Validation Failed', [{ field: 'body' }]);
  return text.length > MAX_BODY ? refuse(422, 'body is too long (maximum is 65536 characters)') : undefined;
}

function listIssues(state: State, call: Call): Answer {
  const label = call.query.get('labels');
  const youngestFirst = state.issues.toReversed().filter(({ labels }) => label === null || labels.includes(label));
  return page(
    youngestFirst.map((issue) => shown(issue, state)),
    call,
  );
}

function page(items: readonly object[], { query }: Call): Answer {
  const size = Math.min(100, Number(query.get('per_page') ?? 30));
  const from = (Number(query.get('page') ?? 1) - 1) * size;
  return { status: 200, body: items.slice(from, from + size) };
}

function shown({ id, number, title, body, createdAt }: Issue, { repository }: State): object {
  const url = `https://github.example/${repository}/issues/${number}`;
  return { id, number, title, body, created_at: createdAt, html_url: url };
}

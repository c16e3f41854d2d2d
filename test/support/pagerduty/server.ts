import { startStandIn, type Answer, type Call, type StandIn } from '../stand-in/server.ts';
import type { Seen } from '../stand-in/words.ts';

export interface Note {
  readonly id: string;
  readonly content: string;
}

export interface PagerDutyServer extends StandIn {
  readonly token: string;
  /** An account-level key asks for a From header, a user's key does not. */
  keyOf: 'account' | 'user';
  readonly userEmail: string;
  readonly incidentId: string;
  readonly notes: Note[];
  /** Notes a page; small, so that callers which forget the rest are found out. */
  pageSize: number;
}

const MAX_NOTES = 2000;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** A stand-in for PagerDuty's REST API: notes of one incident, users and abilities. Written from its public documentation. */
export async function startPagerDuty(): Promise<PagerDutyServer> {
  const state = {
    token: 'pd-test-key',
    keyOf: 'account' as 'account' | 'user',
    userEmail: 'rootnote@example.com',
    incidentId: 'Q1ABC2DEF3',
    notes: [] as Note[],
    pageSize: 3,
  };
  const server = await startStandIn({
    isWrite: ({ method }) => method === 'POST',
    answer: (call) => answer(state, call),
  });
  return Object.assign(state, server);
}

type State = Omit<PagerDutyServer, keyof StandIn>;
const refuse = (status: number, code: number, message: string): Answer => ({
  status,
  body: { error: { code, message, errors: [] } },
});

function answer(state: State, call: Call): Answer {
  if (call.headers.authorization !== `Token token=${state.token}`) return { status: 401, body: { error: {} } };
  if (call.headers.accept !== 'application/vnd.pagerduty+json;version=2') return refuse(400, 2001, 'Invalid version');
  if (call.path === '/abilities') return { status: 200, body: { abilities: ['teams', 'urgencies'] } };
  if (call.path === '/users/me') {
    if (state.keyOf === 'account') return refuse(400, 2001, 'A user-level key is required');
    return { status: 200, body: { user: { name: 'Rootnote', email: state.userEmail } } };
  }
  if (call.path === '/users') {
    const isAsked = call.query.get('query') === state.userEmail;
    return { status: 200, body: { users: isAsked ? [{ name: 'Rootnote', email: state.userEmail }] : [] } };
  }
  if (call.path !== `/incidents/${state.incidentId}/notes`) return refuse(404, 2100, 'Not Found');
  return call.method === 'GET' ? listNotes(state, call) : createNote(state, call);
}

function listNotes({ notes, pageSize }: State, { query }: Call): Answer {
  const offset = Number(query.get('offset') ?? 0);
  const limit = Math.min(pageSize, Number(query.get('limit') ?? 100));
  // As asked for, but never more than the limit: what is next follows from what came.
  return {
    status: 200,
    body: { notes: notes.slice(offset, offset + limit), offset, limit, more: offset + limit < notes.length },
  };
}

function createNote(state: State, { headers, body }: Call): Answer {
  const { from } = headers;
  if (from === undefined && state.keyOf === 'account') return refuse(400, 2016, 'You must specify a From header');
  if (from !== undefined && !EMAIL.test(from)) return refuse(400, 1028, 'Malformed "From" header');
  if (from !== undefined && from !== state.userEmail) return refuse(400, 1008, 'Requester User Not Found');
  const content = (body as { note?: { content?: unknown } }).note?.content;
  if (typeof content !== 'string' || content.trim() === '') return refuse(400, 2001, 'Content cannot be empty');
  if (state.notes.length >= MAX_NOTES) return refuse(400, 2001, 'Too many notes');
  const note = { id: `PN${state.notes.length + 1}`, content };
  state.notes.push(note);
  return { status: 200, body: { note } };
}

/** PagerDuty shows notes as they are, and makes links of addresses. */
export function seeNote({ content }: Note): Seen {
  return { text: content, links: content.match(/(?:https?:\/\/|\bwww\.)[^\s<>"]+/gi) ?? [], acts: [] };
}

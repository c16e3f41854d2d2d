import { startStandIn, type Answer, type Call, type StandIn } from '../stand-in/server.ts';
import type { Seen } from '../stand-in/words.ts';

interface CardElement {
  readonly type: string;
  readonly text?: string;
  readonly inlines?: readonly CardElement[];
  readonly facts?: readonly { readonly title: string; readonly value: string }[];
  readonly selectAction?: CardAction;
}
interface CardAction {
  readonly type: string;
  readonly title?: string;
  readonly url?: string;
}
export interface Card {
  readonly type: string;
  readonly version: string;
  readonly fallbackText?: string;
  readonly body: readonly CardElement[];
  readonly actions?: readonly CardAction[];
  readonly msteams?: { readonly entities?: readonly unknown[] };
}

export interface TeamsServer extends StandIn {
  readonly workflowUrl: string;
  readonly cards: Card[];
}

const MAX_BYTES = 28 * 1024;
const ELEMENTS = new Set(['TextBlock', 'RichTextBlock', 'FactSet', 'Container']);

/** A stand-in for a Power Automate workflow that posts a card. It answers 202 and posts afterwards. Written from public documentation. */
export async function startTeams(): Promise<TeamsServer> {
  const cards: Card[] = [];
  const server = await startStandIn({ isWrite: () => true, answer: (call) => answer(cards, call) });
  const path = '/workflows/a1b2c3d4e5f6a7b8c9d0/triggers/manual/paths/invoke';
  return { ...server, cards, workflowUrl: `${server.url}${path}?api-version=1&sig=test-signature` };
}

function answer(cards: Card[], { path, query, text, body }: Call): Answer {
  if (!path.startsWith('/workflows/')) return { status: 404 };
  if (query.get('sig') !== 'test-signature') return { status: 401, body: { error: { code: 'AuthorizationFailed' } } };
  if (Buffer.byteLength(text) > MAX_BYTES) return { status: 413 };
  const { type, attachments } = body as { type?: string; attachments?: { contentType: string; content: Card }[] };
  const [attachment, ...others] = attachments ?? [];
  const isCard = attachment?.contentType === 'application/vnd.microsoft.card.adaptive' && others.length === 0;
  if (type !== 'message' || !isCard) return { status: 400, body: { error: { code: 'TriggerInputSchemaMismatch' } } };
  const card = attachment.content;
  if (card.type !== 'AdaptiveCard' || card.body.length === 0) return { status: 400 };
  if (!card.body.every(isElement) || (card.actions ?? []).length > 6) return { status: 400 };
  cards.push(card);
  return { status: 202 };
}

function isElement({ type, inlines }: CardElement): boolean {
  if (!ELEMENTS.has(type)) return false;
  return type !== 'RichTextBlock' || (inlines !== undefined && inlines.length > 0);
}

/** Text blocks and facts are read as Markdown, text runs as they are. */
export function seeCard(card: Card): Seen {
  const runs = card.body.flatMap(({ inlines }) => inlines ?? []);
  const texts = card.body.map(({ text, inlines = [] }) => text ?? inlines.map((run) => run.text).join(''));
  const marked = card.body.flatMap(({ text, facts = [] }) => [
    ...(text === undefined ? [] : [text]),
    ...facts.flatMap(({ title, value }) => [title, value]),
  ]);
  const actions = [...(card.actions ?? []), ...runs.flatMap(({ selectAction }) => selectAction ?? [])];
  return {
    text: [...texts, ...(card.actions ?? []).map(({ title }) => `[ ${title} ]`)].join('\n'),
    links: actions.flatMap(({ url }) => url ?? []),
    acts: [
      ...marked.filter((text) => /[[*_<`]|https?:/.test(text)),
      ...(card.msteams?.entities ?? []).map(() => 'mention'),
      ...actions.filter(({ type }) => type !== 'Action.OpenUrl').map(({ type }) => type),
    ],
  };
}

import type { Seen } from '../stand-in/words.ts';

export interface Node {
  readonly type: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly content?: readonly Node[];
  readonly text?: string;
  readonly marks?: readonly { readonly type: string; readonly attrs?: Readonly<Record<string, unknown>> }[];
}

/** What may stand in what, of the nodes that a report may use. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  doc: ['paragraph', 'heading', 'bulletList', 'orderedList', 'codeBlock', 'rule'],
  paragraph: ['text', 'hardBreak'],
  heading: ['text', 'hardBreak'],
  bulletList: ['listItem'],
  orderedList: ['listItem'],
  listItem: ['paragraph', 'bulletList', 'orderedList', 'codeBlock'],
  codeBlock: ['text'],
};
const MARKS = new Set(['strong', 'em', 'code', 'link']);
/** Lists have items, and items have content; an empty paragraph is allowed. */
const NEVER_EMPTY = new Set(['doc', 'bulletList', 'orderedList', 'listItem']);

/** What Jira would answer INVALID_INPUT for; undefined for a document it takes. */
export function flawOfDocument(document: unknown): string | undefined {
  const root = document as Node & { readonly version?: unknown };
  if (root?.type !== 'doc' || root.version !== 1) return 'no document of version 1';
  return flawOfNode(root);
}

function flawOfNode(node: Node): string | undefined {
  if (node.type === 'text') return flawOfText(node);
  const allowed = CHILDREN[node.type];
  if (allowed === undefined) return node.type === 'hardBreak' || node.type === 'rule' ? undefined : `node ${node.type}`;
  if (node.type === 'heading' && !((node.attrs?.['level'] as number) >= 1)) return 'heading without level';
  const content = node.content ?? [];
  if (NEVER_EMPTY.has(node.type) && content.length === 0) return `empty ${node.type}`;
  const stray = content.find(({ type }) => !allowed.includes(type));
  if (stray !== undefined) return `${stray.type} in ${node.type}`;
  return content.map(flawOfNode).find((flaw) => flaw !== undefined);
}

function flawOfText({ text, marks = [] }: Node): string | undefined {
  if (typeof text !== 'string' || text === '') return 'empty text';
  const types = marks.map(({ type }) => type);
  if (types.some((type) => !MARKS.has(type))) return `marks ${types.join(', ')}`;
  if (types.includes('code') && types.some((type) => type !== 'code' && type !== 'link'))
    return 'code with other marks';
  return marks.some(({ type, attrs }) => type === 'link' && typeof attrs?.['href'] !== 'string')
    ? 'link without href'
    : undefined;
}

/** A document as a person sees it. Text is never interpreted, so only nodes and marks act. */
export function seeDocument(document: Node): Seen {
  const nodes = flatten(document);
  const marks = nodes.flatMap((node) => node.marks ?? []);
  return {
    text: write(document),
    links: marks.flatMap(({ type, attrs }) => (type === 'link' ? [String(attrs?.['href'])] : [])),
    acts: nodes.map(({ type }) => type).filter((type) => ['mention', 'inlineCard', 'media', 'emoji'].includes(type)),
  };
}

function flatten(node: Node): readonly Node[] {
  return [node, ...(node.content ?? []).flatMap(flatten)];
}

function write(node: Node): string {
  const inside = (node.content ?? []).map(write);
  if (node.type === 'text') return node.text ?? '';
  if (node.type === 'bulletList') return inside.map((item) => `- ${item}`).join('\n');
  if (node.type === 'orderedList') return inside.map((item, index) => `${index + 1}. ${item}`).join('\n');
  if (node.type === 'listItem') return inside.join('\n   ');
  return inside.join(node.type === 'doc' ? '\n\n' : '');
}

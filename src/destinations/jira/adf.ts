import { labelOf } from '../web-link.ts';
import type { Line, Outline, Section, Span } from '../outline.ts';

/** Nodes of the Atlassian Document Format that are used here. Text is never interpreted; an empty text node would be refused. */
export interface AdfNode {
  readonly type: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly content?: readonly AdfNode[];
  readonly text?: string;
  readonly marks?: readonly AdfMark[];
}
interface AdfMark {
  readonly type: 'strong' | 'em' | 'code' | 'link';
  readonly attrs?: Readonly<Record<string, unknown>>;
}
export interface AdfDocument {
  readonly type: 'doc';
  readonly version: 1;
  readonly content: readonly AdfNode[];
}

/** The outline as a document for Jira Cloud. `end` is its last line. */
export function toAdf({ headline, lead, facts, sections, note, footer }: Outline, end: string): AdfDocument {
  const nodes: readonly (AdfNode | undefined)[] = [
    heading(3, headline),
    ...lead.map(paragraph),
    list(
      'bulletList',
      facts.map(({ name, value }) => [
        paragraph([
          { kind: 'strong', text: name },
          { kind: 'plain', text: `: ${value}` },
        ]),
      ]),
    ),
    ...sections.flatMap(sectionNodes),
    note === undefined ? undefined : textParagraph(note, 'em'),
    paragraph(footer),
    textParagraph(end, 'em'),
  ];
  return { type: 'doc', version: 1, content: nodes.filter((node) => node !== undefined) };
}

function sectionNodes({ title, entries, isNumbered, note }: Section): readonly (AdfNode | undefined)[] {
  const items = entries.map(({ line, below }) => [paragraph(line), ...below.map(paragraph)]);
  return [
    heading(4, title),
    list(isNumbered ? 'orderedList' : 'bulletList', items),
    note === undefined ? undefined : textParagraph(note, 'em'),
  ];
}

/** A list without items, and an item without content, would be refused. */
function list(
  type: 'bulletList' | 'orderedList',
  items: readonly (readonly (AdfNode | undefined)[])[],
): AdfNode | undefined {
  const content = items
    .map((item) => item.filter((node) => node !== undefined))
    .filter((item) => item.length > 0)
    .map((item): AdfNode => ({ type: 'listItem', content: item }));
  return content.length === 0 ? undefined : { type, content };
}

function heading(level: number, text: string): AdfNode | undefined {
  return text === '' ? undefined : { type: 'heading', attrs: { level }, content: [{ type: 'text', text }] };
}

function textParagraph(text: string, mark: 'em'): AdfNode | undefined {
  return text === '' ? undefined : { type: 'paragraph', content: [{ type: 'text', text, marks: [{ type: mark }] }] };
}

function paragraph(line: Line): AdfNode | undefined {
  const content = line.filter(({ text }) => text !== '').map(textNode);
  return content.length === 0 ? undefined : { type: 'paragraph', content };
}

function textNode(span: Span): AdfNode {
  const { text } = span;
  if (span.kind === 'plain') return { type: 'text', text };
  if (span.kind === 'link') {
    return { type: 'text', text: labelOf(text, span.href), marks: [{ type: 'link', attrs: { href: span.href } }] };
  }
  return { type: 'text', text, marks: [{ type: span.kind }] };
}

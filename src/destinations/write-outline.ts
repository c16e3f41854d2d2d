import type { Line, Outline, Section, Span } from './outline.ts';

/** How a markup writes the spans of a line. All are given data and make it harmless. */
export interface SpanMarkup {
  readonly plain: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly code: (text: string) => string;
  readonly link: (text: string, href: string) => string;
}

/** How a markup writes what an outline is made of. */
export interface Markup extends SpanMarkup {
  readonly headline: (text: string) => string;
  readonly title: (text: string) => string;
  readonly bullet: string;
  /** Before the entry of that number, from 1. */
  readonly number: (place: number) => string;
  /** Before a line that belongs to the entry above. */
  readonly below: string;
  readonly quiet: (text: string) => string;
}

/** The outline as text in a markup: paragraphs parted by an empty line. Our own words go through the markup like data. */
export function writeOutline(outline: Outline, markup: Markup): string {
  const { headline, lead, facts, sections, note, footer } = outline;
  const factLines = facts.map(({ name, value }) => `${markup.bullet}${markup.strong(name)}: ${markup.plain(value)}`);
  return [
    markup.headline(headline),
    ...lead.map((line) => writeLine(line, markup)),
    factLines.join('\n'),
    ...sections.map((section) => writeSection(section, markup)),
    note === undefined ? '' : markup.quiet(markup.plain(note)),
    writeLine(footer, markup),
  ]
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

export function writeLine(line: Line, markup: SpanMarkup): string {
  return line.map((span) => writeSpan(span, markup)).join('');
}

function writeSpan(span: Span, markup: SpanMarkup): string {
  return span.kind === 'link' ? markup.link(span.text, span.href) : markup[span.kind](span.text);
}

function writeSection({ title, entries, isNumbered, note }: Section, markup: Markup): string {
  const lines = entries.flatMap(({ line, below }, index) => [
    `${isNumbered ? markup.number(index + 1) : markup.bullet}${writeLine(line, markup)}`,
    ...below.map((parts) => `${markup.below}${writeLine(parts, markup)}`),
  ]);
  const omitted = note === undefined ? [] : [`${markup.bullet}${markup.quiet(markup.plain(note))}`];
  return [markup.title(title), ...lines, ...omitted].join('\n');
}

/** Blanks at either end part a span from its neighbours and stay outside its marks: no emphasis begins or ends with one. */
export function betweenBlanks(text: string, write: (inside: string) => string): string {
  const [, before = '', inside = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return inside === '' ? text : `${before}${write(inside)}${after}`;
}

import { AT_A_GLANCE, fitOutline } from '../fit-outline.ts';
import { labelOf } from '../web-link.ts';
import { textOf, withoutLinks, type Outline, type Section, type Span } from '../outline.ts';

/** Teams takes messages of about 28 KB. */
const MAX_BYTES = 26_000;
const MAX_ACTIONS = 6;

type Element = Readonly<Record<string, unknown>>;

/** The body of a request to a workflow: one Adaptive Card. */
export interface CardMessage {
  readonly type: 'message';
  readonly attachments: readonly [
    { readonly contentType: string; readonly contentUrl: null; readonly content: Element },
  ];
}

/**
 * All text stands in text runs: a card reads Markdown in text blocks and facts only, so data in a run can neither format nor link nor mention.
 * Links are ours: actions of a run, and buttons below the card.
 */
export function cardOf(whole: Outline, marker: string): CardMessage {
  const toCard = (outline: Outline) => messageOf(outline, marker);
  const fits = (message: CardMessage) => Buffer.byteLength(JSON.stringify(message)) <= MAX_BYTES;
  return fitOutline(whole, toCard, fits, AT_A_GLANCE);
}

function messageOf(outline: Outline, marker: string): CardMessage {
  const { headline, lead, facts, sections, note, footer } = outline;
  const links = footer.filter((span) => span.kind === 'link').slice(0, MAX_ACTIONS);
  const body = [
    block([run({ kind: 'strong', text: headline }, { size: 'Large' })]),
    ...lead.map((line) => block(line.map((span) => run(span)))),
    ...facts.map(({ name, value }) =>
      block([run({ kind: 'strong', text: `${name}: ` }), run({ kind: 'plain', text: value })], 'None'),
    ),
    ...sections.flatMap(sectionBlocks),
    ...(note === undefined ? [] : [block([quiet(note)])]),
    block([quiet(`${textOf(withoutLinks(footer, () => true))} · ${marker}`)]),
  ];
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: headline,
    msteams: { width: 'Full' },
    body,
    ...(links.length === 0
      ? {}
      : {
          actions: links.map((link) => ({
            type: 'Action.OpenUrl',
            title: labelOf(link.text, link.href),
            url: link.href,
          })),
        }),
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
  };
}

function sectionBlocks({ title, entries, isNumbered, note }: Section): readonly Element[] {
  return [
    block([run({ kind: 'strong', text: title })], 'Medium'),
    ...entries.flatMap(({ line, below }, index) => [
      block(
        [run({ kind: 'plain', text: isNumbered ? `${index + 1}. ` : '• ' }), ...line.map((span) => run(span))],
        'Small',
      ),
      ...below.map((parts) => block([run({ kind: 'plain', text: '    ' }), ...parts.map((span) => run(span))], 'None')),
    ]),
    ...(note === undefined ? [] : [block([quiet(note)], 'Small')]),
  ];
}

function block(inlines: readonly Element[], spacing = 'Default'): Element {
  return { type: 'RichTextBlock', spacing, inlines };
}

function run(span: Span, more: Element = {}): Element {
  const style: Record<Span['kind'], Element> = {
    plain: {},
    strong: { weight: 'Bolder' },
    code: { fontType: 'Monospace' },
    link: span.kind === 'link' ? { color: 'Accent', selectAction: { type: 'Action.OpenUrl', url: span.href } } : {},
  };
  const text = span.kind === 'link' ? labelOf(span.text, span.href) : span.text;
  return { type: 'TextRun', text, ...style[span.kind], ...more };
}

function quiet(text: string): Element {
  return { type: 'TextRun', text, isSubtle: true, size: 'Small' };
}

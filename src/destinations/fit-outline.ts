import { clip } from '../policy/untrusted.ts';
import { withoutLinks, type Line, type Outline, type Section } from './outline.ts';

/** How much of an outline is told: entries a list, and UTF-16 units a text and a link. */
interface Level {
  readonly needed: number;
  readonly useful: number;
  readonly text: number;
  readonly link: number;
}

const LEVELS: readonly Level[] = [
  { needed: Infinity, useful: Infinity, text: 2000, link: 2000 },
  { needed: 40, useful: 30, text: 1000, link: 2000 },
  { needed: 20, useful: 10, text: 600, link: 1500 },
  { needed: 12, useful: 6, text: 500, link: 1000 },
  { needed: 8, useful: 4, text: 400, link: 800 },
  { needed: 5, useful: 3, text: 300, link: 500 },
  { needed: 4, useful: 2, text: 200, link: 300 },
  { needed: 3, useful: 1, text: 160, link: 250 },
  { needed: 3, useful: 0, text: 110, link: 200 },
  { needed: 2, useful: 0, text: 110, link: 160 },
  { needed: 2, useful: 0, text: 80, link: 120 },
  { needed: 1, useful: 0, text: 70, link: 0 },
];
/** Where destinations begin that are read at a glance. */
export const AT_A_GLANCE = 4;

const HEADLINE_MAX = 250;
const FACT_MAX = 300;

/**
 * The longest version of an outline that fits once it is rendered. Never cut afterwards: lists lose whole entries from their end, long texts end
 * in `…`, and what was left out is counted and said. `from`: the level to begin with. The last level is below the limits of all destinations,
 * whatever escaping does to its texts.
 */
export function fitOutline<T>(
  outline: Outline,
  render: (outline: Outline) => T,
  fits: (rendered: T) => boolean,
  from = 0,
): T {
  const [first, ...shorter] = LEVELS.slice(from);
  let rendered = render(first === undefined ? outline : shorten(outline, first));
  for (const level of shorter) {
    if (fits(rendered)) break;
    rendered = render(shorten(outline, level));
  }
  return rendered;
}

class Losses {
  entries = 0;
  texts = 0;
  links = 0;
  /** Titles of lists of which nothing is left. */
  readonly lists: string[] = [];

  text(text: string, max: number): string {
    if (text.length > max) this.texts++;
    return clip(text, max);
  }

  inWords(): string | undefined {
    const lost = [
      ...(this.entries > 0 ? [`${this.entries} ${this.entries === 1 ? 'entry' : 'entries'} left out`] : []),
      ...(this.texts > 0 ? [`${this.texts} ${this.texts === 1 ? 'text' : 'texts'} cut at …`] : []),
      ...(this.links > 0 ? [`${this.links} ${this.links === 1 ? 'link' : 'links'} left out`] : []),
    ];
    const gone = this.lists.length > 0 ? ` (all of: ${this.lists.join('; ')})` : '';
    return lost.length > 0
      ? `Shortened to fit: ${lost.join(', ')}${gone}. The stored report has all of it.`
      : undefined;
  }
}

function shorten(outline: Outline, level: Level): Outline {
  const losses = new Losses();
  const sections = outline.sections.map((section) => shortenSection(section, level, losses));
  const shortened = {
    headline: losses.text(outline.headline, Math.min(HEADLINE_MAX, level.text * 2)),
    // The verdict and its summary are what the reader came for.
    lead: outline.lead.map((parts) => shortenLine(parts, { ...level, text: level.text * 2 }, losses)),
    facts: outline.facts.map(({ name, value }) => ({
      name,
      value: losses.text(value, Math.min(FACT_MAX, level.text)),
    })),
    sections: sections.filter(({ entries }) => entries.length > 0),
    footer: shortenLine(outline.footer, { ...level, text: 200 }, losses),
  };
  const note = losses.inWords();
  return note === undefined ? shortened : { ...shortened, note };
}

function shortenSection(section: Section, level: Level, losses: Losses): Section {
  const most = level[section.weight];
  const kept = section.entries.slice(0, most).map(({ line, below }) => ({
    line: shortenLine(line, level, losses),
    below: below.map((parts) => shortenLine(parts, level, losses)),
  }));
  const omitted = section.entries.length - kept.length;
  losses.entries += omitted;
  if (omitted === 0) return { ...section, entries: kept };
  if (kept.length === 0) losses.lists.push(section.title);
  return { ...section, entries: kept, note: `${omitted} more of ${section.entries.length} left out` };
}

function shortenLine(line: Line, level: Level, losses: Losses): Line {
  const kept = withoutLinks(line, (href) => href.length > level.link);
  const links = (spans: Line) => spans.filter(({ kind }) => kind === 'link').length;
  losses.links += links(line) - links(kept);
  return kept.map((span) => (span.kind === 'link' ? span : { ...span, text: losses.text(span.text, level.text) }));
}

import { clip, oneLine } from '../../policy/untrusted.ts';
import { estimateTokens } from '../tokens.ts';

/** One line that is shown whole or not at all. */
export interface Line {
  readonly text: string;
  /** What is cut last. Weights are 0–1; notes, cited evidence and headers stand above them. */
  readonly priority: number;
  readonly tokens: number;
}

/** A titled list of lines. `lines` are in reading order; which of them are shown is decided by priority. */
export interface Section {
  readonly title: string;
  /** Part of the budget that no other section can take; what it leaves flows on. */
  readonly share: number;
  readonly lines: readonly Line[];
  /** Said when there are no lines at all (SPEC C9). */
  readonly none: string;
  /** What the lines are, for the count of those cut: `items`, `labels`. */
  readonly noun: string;
}

/** A line of text that others wrote: one line, no invisible characters, at most `maxCharacters`, cut at a grapheme border. */
export function line(text: string, priority: number, maxCharacters: number): Line {
  const shown = clip(oneLine(text), maxCharacters);
  return { text: shown, priority, tokens: estimateTokens(`${shown}\n`) };
}

/** As `line`, but shortened until it has at most `maxTokens`: for what must be there in some form. */
export function lineWithin(text: string, priority: number, maxTokens: number): Line {
  let shown = line(text, priority, 4 * maxTokens);
  // Each round takes at least a fifth off: a few rounds, whatever the script.
  while (shown.tokens > maxTokens && shown.text.length > 4) {
    shown = line(shown.text, priority, Math.floor(shown.text.length * Math.min(0.8, maxTokens / shown.tokens)));
  }
  return shown;
}

/** The section as text, with a count of what is not shown. */
export function renderSection(section: Section, shown: ReadonlySet<Line>): string {
  const head = `## ${section.title}`;
  if (section.lines.length === 0) return `${head}\n${section.none}`;
  const kept = section.lines.filter((candidate) => shown.has(candidate));
  const cut = section.lines.length - kept.length;
  const count = cut > 0 ? [`(${cut} of ${section.lines.length} ${section.noun} not shown: token budget)`] : [];
  return [head, ...kept.map(({ text }) => text), ...count].join('\n');
}

/** Tokens of the parts of a section that are always there. */
export function fixedTokens(section: Section): number {
  return estimateTokens(`${renderSection(section, new Set())}\n\n`);
}

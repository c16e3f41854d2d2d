import { estimateTokens } from '../../funnel/tokens.ts';
import { clip } from '../../policy/untrusted.ts';
import { compactText, type CompactText, type TextLimits } from '../evidence/compact-text.ts';
import { digestOf, type Clean, type Page } from './page.ts';
import type { ToolData } from './tool.ts';

type TextData = ToolData & { readonly kind: 'text' };

/** What was observed: a command's output, a file. */
const OBSERVED = { lines: 200, characters: 10_000, lineCharacters: 1000, tokens: 3400 };
/** What guides, such as a playbook of 20,000 characters (SPEC B4), is read whole or not at all useful. */
const GUIDING = { lines: 1000, characters: 20_600, lineCharacters: 4000, tokens: 8000 };
const STATEMENT_CHARACTERS = 600;
/** Of a statement, so that what came back has its room. */
const SEARCHED_CHARACTERS = 180;
/** Figures that a claim about the text may state. More would support any number. */
const MOST_NUMBERS = 100;

/**
 * Any text. With `evidence` it is one citable item whose id stands before the lines; without it is none, and no id in it can pass for one. Repeated
 * lines of what was observed are counted; guidance stays as it was written.
 */
export function presentText(page: Page, data: TextData, clean: Clean, searched: string): void {
  const text = clean(data.text);
  if (text.trim() === '') {
    page.say('Nothing came back: the text is empty.');
    return;
  }
  const limits = data.evidence ? OBSERVED : GUIDING;
  const { lines, cut } = withinTokens(text, limits, data.evidence === undefined);
  if (cut) page.sayCut(`${cut}.`);
  if (data.evidence) {
    const draft = {
      kind: data.evidence,
      service: undefined,
      statement: `${clip(searched, SEARCHED_CHARACTERS)}: ${clip(lines.join(' ⏎ '), STATEMENT_CHARACTERS)}`,
      atMs: undefined,
      query: searched,
      numbers: numbersIn(lines),
    };
    page.say(`[${page.cite({ key: `text:${searched}:${digestOf(text)}`, draft })}] what came back:`);
  }
  page.say(...lines);
}

/** Some scripts need a token a character: the text is shortened until it fits. */
function withinTokens(text: string, limits: TextLimits & { readonly tokens: number }, asWritten: boolean): CompactText {
  let compact = compactText(text, limits, asWritten);
  for (let { characters } = limits; characters > 500;) {
    const tokens = estimateTokens(compact.lines.join('\n'));
    if (tokens <= limits.tokens) return compact;
    characters = Math.floor(characters * Math.min(0.8, limits.tokens / tokens));
    compact = compactText(text, { ...limits, characters }, asWritten);
  }
  return compact;
}

/** Not within a word, a version or an address; the full stop of a sentence is none of it. */
const NUMBER = /(?<!\w|\w\.)\d{1,15}(?:\.\d{1,6})?(?!\w|\.\w)/g;

function numbersIn(lines: readonly string[]): readonly number[] {
  const numbers = new Set<number>();
  for (const line of lines) {
    for (const [digits] of line.matchAll(NUMBER)) numbers.add(Number(digits));
    if (numbers.size >= MOST_NUMBERS) break;
  }
  return [...numbers].slice(0, MOST_NUMBERS);
}

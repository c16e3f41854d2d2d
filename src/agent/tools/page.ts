import { createHash } from 'node:crypto';
import type { EvidenceBook } from '../../domain/evidence.ts';
import { estimateTokens } from '../../funnel/tokens.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { CitedLine } from '../evidence/cited-line.ts';
import { showing } from '../evidence/truncate.ts';

/** Most of one tool result. Both hold: some scripts need a token a character. */
const MAX_TOKENS = 4000;
const MAX_CHARACTERS = 12_000;
/** Kept back for what has to be said about cuts. */
const RESERVED_TOKENS = 150;
const MAX_STATEMENT_CHARACTERS = 800;
/** A query is the way back to the source: longer than any that a provider takes, shorter than what a model can write. */
const MAX_QUERY_CHARACTERS = 2000;
/** The beginning of something is worth its room from here on. */
const FEWEST_LINES = 6;

/** What stands on a line: plain text, already clean, or something to cite. */
export type Entry = string | CitedLine;

export interface Listing {
  /** Plural, for the words about a cut: `log groups`. */
  readonly what: string;
  readonly entries: readonly Entry[];
  /** How many there are in all, where `entries` are only the first of them. */
  readonly total?: number;
  /** Most that are shown, however short they are. */
  readonly most: number;
  readonly maxCharacters?: number;
  /** What of the page it may fill; the rest is for what follows. */
  readonly share?: number;
}

/** Cleans text that others wrote: sanitised, redacted, and unable to pose as evidence. */
export type Clean = (text: string) => string;

/** The text of one tool result as it is written, line by line, within its limits. Only what is on it becomes evidence. */
export class Page {
  readonly #book: EvidenceBook;
  readonly #clean: Clean;
  readonly #lines: string[] = [];
  #tokens = MAX_TOKENS - RESERVED_TOKENS;
  #characters = MAX_CHARACTERS;
  #isCut = false;

  constructor(book: EvidenceBook, clean: Clean) {
    this.#book = book;
    this.#clean = clean;
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  /** True when something that there is does not stand on it. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Says what is not shown. */
  sayCut(line: string): void {
    this.#isCut = true;
    this.#write(line);
  }

  /** A line that must be there. */
  say(...lines: readonly string[]): void {
    for (const line of lines) this.#write(line);
  }

  /** As many of the lines as fit into this share of the room that is left, and how many do not; nothing when it would be hardly any. */
  sayWhatFits(lines: readonly string[], share: number): void {
    let { tokens, characters } = { tokens: this.#tokens * share, characters: this.#characters * share };
    const fitting = lines.findIndex((line) => {
      const cost = costOf(line);
      tokens -= cost.tokens;
      characters -= cost.characters;
      return tokens < 0 || characters < 0;
    });
    if (fitting < 0) return this.say(...lines);
    this.#isCut = true;
    if (fitting >= FEWEST_LINES)
      this.say(...lines.slice(0, fitting), `  … ${lines.length - fitting} more lines left out for space`);
  }

  /** Makes evidence of it without a line of its own. Returns the id. */
  cite(entry: CitedLine): string {
    return this.#cite(entry, this.#statementOf(entry, MAX_STATEMENT_CHARACTERS));
  }

  /**
   * The entries in their order, as many as fit, and before them how many there are when some are left out. Nothing at all is an answer, not an
   * error. Returns how many are shown.
   */
  list({
    what,
    entries,
    most,
    total = entries.length,
    maxCharacters = MAX_STATEMENT_CHARACTERS,
    share = 1,
  }: Listing): number {
    if (entries.length === 0) {
      this.say(`No ${what} found. That is no proof of health: the search may be too narrow.`);
      return 0;
    }
    const place = this.#lines.length;
    const floor = { tokens: this.#tokens * (1 - share), characters: this.#characters * (1 - share) };
    let shown = 0;
    for (const entry of entries.slice(0, most)) {
      const text = typeof entry === 'string' ? clip(entry, maxCharacters) : this.#statementOf(entry, maxCharacters);
      const cost = costOf(text);
      if (this.#tokens - cost.tokens < floor.tokens || this.#characters - cost.characters < floor.characters) break;
      this.#write(typeof entry === 'string' ? text : `[${this.#cite(entry, text)}] ${text}`);
      shown++;
    }
    const cut = showing(shown, total, what);
    if (cut) {
      this.#isCut = true;
      this.#lines.splice(place, 0, `${cut}; narrow the search for the rest.`);
    }
    return shown;
  }

  #statementOf({ draft }: CitedLine, maxCharacters: number): string {
    return clip(oneLine(this.#clean(draft.statement)), maxCharacters);
  }

  #cite({ key, draft }: CitedLine, statement: string): string {
    const { service, query, link } = draft;
    // Keys are as long as what they stand for, and every checkpoint holds them.
    return this.#book.add(digestOf(this.#clean(key)), {
      ...draft,
      statement,
      service: service === undefined ? undefined : oneLine(this.#clean(service)),
      ...(query === undefined ? {} : { query: clip(oneLine(this.#clean(query)), MAX_QUERY_CHARACTERS) }),
      // An address may carry a token.
      ...(link === undefined ? {} : { link: oneLine(this.#clean(link)) }),
    });
  }

  #write(line: string): void {
    const { tokens, characters } = costOf(line);
    this.#tokens -= tokens;
    this.#characters -= characters;
    this.#lines.push(line);
  }
}

/** Stands for a text of any length. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The id and the line end are in it. */
function costOf(text: string) {
  return { tokens: estimateTokens(text) + 8, characters: text.length + 8 };
}

import { oneLine } from '../policy/untrusted.ts';

/** A piece of a line. Its text is data, on one line and never empty; whoever renders it takes the power from what his markup would act on. */
export type Span =
  | { readonly kind: 'plain' | 'strong' | 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };
export type Line = readonly Span[];

/** One entry of a list, and the lines that belong below it: a command, how to undo it. */
export interface Entry {
  readonly line: Line;
  readonly below: readonly Line[];
}

/** A list under a title, best first. `needed` ones give way last when the room is small. */
export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly isNumbered: boolean;
  readonly weight: 'needed' | 'useful';
  /** How many entries were left out. */
  readonly note?: string;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** What is to be told, in the order in which a reader needs it, without any markup: one for all destinations, so that they do not drift apart. */
export interface Outline {
  readonly headline: string;
  /** The news, what the alert says, the verdict with its confidence, the summary, and why so sure. */
  readonly lead: readonly Line[];
  readonly facts: readonly Fact[];
  readonly sections: readonly Section[];
  /** What was left out for lack of room. */
  readonly note?: string;
  readonly footer: Line;
}

export const plain = (text: string): Span => ({ kind: 'plain', text: blanksKept(text) });
export const strong = (text: string): Span => ({ kind: 'strong', text: blanksKept(text) });
export const code = (text: string): Span => ({ kind: 'code', text: oneLine(text) });
export const link = (text: string, href: string): Span => ({ kind: 'link', text, href });
/** Goes with the span after it. */
export const SEPARATOR: Span = { kind: 'plain', text: ' · ' };

/** Without spans that say nothing; empty when none is left. */
export function line(...spans: readonly Span[]): Line {
  const told = spans.filter((span) => span.text !== '');
  return told.some((span) => span.text !== ' ') ? told : [];
}

export function entry(spans: readonly Span[], below: readonly Line[] = []): Entry {
  return { line: line(...spans), below: below.filter((parts) => parts.length > 0) };
}

/** The words alone. */
export function textOf(spans: Line): string {
  return spans.map(({ text }) => text).join('');
}

/** Without the links for which `isLeftOut` holds, and the separators before them: half an address leads nowhere. */
export function withoutLinks(spans: Line, isLeftOut: (href: string) => boolean): Line {
  const isGone = (span: Span | undefined) => span?.kind === 'link' && isLeftOut(span.href);
  // By its text: a line that was fitted is made of copies.
  const isSeparator = ({ kind, text }: Span) => kind === SEPARATOR.kind && text === SEPARATOR.text;
  return spans.filter((span, place) => !isGone(span) && !(isSeparator(span) && isGone(spans[place + 1])));
}

/** `14:03:07 UTC, 2026-11-20`: the day comes last because the reader is living it. */
export function clock(iso: string): string {
  return `${iso.slice(11, 19)} UTC, ${iso.slice(0, 10)}`;
}

/** On one line, but a blank at either end stays: it parts the span from its neighbour. */
function blanksKept(text: string): string {
  const inside = oneLine(text);
  if (inside === '') return text === '' ? '' : ' ';
  return `${/^\s/.test(text) ? ' ' : ''}${inside}${/\s$/.test(text) ? ' ' : ''}`;
}

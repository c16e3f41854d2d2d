import type { DeliveryContent } from '../../domain/delivery.ts';
import { bounded } from '../bounded.ts';
import {
  context,
  fields,
  header,
  MAX_BLOCKS,
  MAX_MESSAGE,
  MAX_SECTION,
  messageLength,
  section,
  type Block,
  type Message,
} from './blocks.ts';
import { listsOf, type Item, type List } from './lists.ts';
import { pieces } from './mrkdwn.ts';
import { cutSummary, factFields, footer, plainText, standing, title, verdict } from './parts.ts';

/** A report as a first message and the replies that hold what did not fit. */
export interface Post {
  readonly root: Message;
  readonly replies: readonly Message[];
}

/** Where the reader finds what the first message has no room for. */
export type Elsewhere = 'in the thread' | 'to follow with the report' | 'in the stored report';

const MAX_FALLBACK = 2000;
/** A reader who wants more than this reads the stored report. */
const MAX_REPLIES = 8;
/** Of a list: its title, and the note of what was left out. */
const LIST_OVERHEAD = 160;
/** What a single list may take of the first message; two sections. */
const MAX_LIST = 2 * MAX_SECTION - LIST_OVERHEAD;

/**
 * Fits by structure: the verdict always stands in the first message, every list is there with its best items, and whole items move to
 * the thread, with their number stated.
 */
export function renderPost(whole: DeliveryContent, elsewhere: Elsewhere): Post {
  const content = bounded(whole);
  const news = standing(content);
  const facts = factFields(content);
  const head = [
    header(title(content)),
    section(news === undefined ? verdict(content) : `${news}\n${verdict(content)}`),
    ...(facts.length > 0 ? [fields(facts)] : []),
  ];
  const foot = context(footer(content));
  const lists = listsOf(content);
  const room = MAX_MESSAGE - messageLength([...head, foot]) - lists.length * LIST_OVERHEAD;
  const shares = shareOut(room, lists.map(lengthInRoot));
  const told = lists.map((list, index) => tell(list, shares[index] ?? 0, elsewhere));

  const summary = cutSummary(content);
  const inFull = summary === undefined ? [] : [{ title: 'Summary in full', lines: quote(summary) }];
  const leftOver = [...inFull, ...told.flatMap(({ rest }) => (rest === undefined ? [] : [rest]))];
  return {
    root: { text: plainText(content, MAX_FALLBACK), blocks: [...head, ...told.flatMap(({ blocks }) => blocks), foot] },
    replies: elsewhere === 'in the thread' ? replies(leftOver, content.report.id) : [],
  };
}

function lengthInRoot(list: List): number {
  const wanted = list.items.slice(0, list.rootMax).reduce((sum, item) => sum + 1 + item.short.length, 0);
  return Math.min(wanted, MAX_LIST);
}

/** Everyone gets what he needs or a fair share of what the modest leave over. */
function shareOut(room: number, needs: readonly number[]): readonly number[] {
  const shares = needs.map(() => 0);
  let left = Math.max(room, 0);
  [...needs.keys()]
    .sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0))
    .forEach((index, place) => {
      const share = Math.min(needs[index] ?? 0, left / (needs.length - place));
      shares[index] = share;
      left -= share;
    });
  return shares;
}

interface Lines {
  readonly title: string;
  readonly note?: string;
  readonly lines: readonly string[];
}

/** A list in the first message, and what is left of it for the thread: items that are shown in part, in full, and the rest. */
function tell(list: List, share: number, elsewhere: Elsewhere): { readonly blocks: Block[]; readonly rest?: Lines } {
  let length = 0;
  let shown = 0;
  for (const item of list.items.slice(0, list.rootMax)) {
    length += 1 + item.short.length;
    if (length > share || item.short.length > MAX_SECTION) break;
    shown++;
  }
  const left = list.items.length - shown;
  const lines = list.items.slice(0, shown).map((item) => item.short);
  const cut = list.items.slice(0, shown).filter((item) => item.short !== item.long || item.full.length > 0);
  const rest = [...cut, ...list.items.slice(shown)].flatMap(linesOf);
  return {
    // A list of which the first message shows nothing by design needs no title there.
    blocks:
      list.rootMax === 0
        ? []
        : sectionsOf({ title: list.title, note: noteOf(list, left, cut.length, elsewhere), lines }),
    ...(rest.length > 0 ? { rest: { title: `${list.title}${list.rootMax > 0 ? ', in full' : ''}`, lines: rest } } : {}),
  };
}

/** Beside the title, where it takes no line of its own. */
function noteOf(list: List, left: number, cut: number, elsewhere: Elsewhere): string {
  const more = [...(left > 0 ? [`+ ${left} more`] : []), ...(cut > 0 && list.extra !== undefined ? [list.extra] : [])];
  return more.length > 0 ? ` _(${more.join(', ')} ${elsewhere})_` : '';
}

function linesOf(item: Item): readonly string[] {
  return [...item.long.split('\n'), ...item.full.flatMap(quote)];
}

/** Marked as a quotation, so that no text of others passes for a list of ours. */
function quote(text: string): readonly string[] {
  return pieces(text, MAX_SECTION - 60).map((piece) => `> ${piece}`);
}

/** Lines under a title, joined up to the section limit. */
function sectionsOf({ title, note = '', lines }: Lines): Block[] {
  const texts: string[] = [];
  let current = `*${title}*${note}`;
  for (const line of lines) {
    if (current.length + 1 + line.length > MAX_SECTION) {
      texts.push(current);
      current = line;
    } else current = `${current}\n${line}`;
  }
  return [...texts, current].map(section);
}

/** Packs sections into as few messages as the limits allow. */
function replies(leftOver: readonly Lines[], reportId: string): readonly Message[] {
  const messages: Block[][] = [];
  let current: Block[] = [];
  for (const block of leftOver.flatMap(sectionsOf)) {
    if (current.length >= MAX_BLOCKS - 1 || messageLength([...current, block]) > MAX_MESSAGE - LIST_OVERHEAD) {
      messages.push(current);
      current = [];
    }
    current.push(block);
  }
  if (current.length > 0) messages.push(current);
  const kept = messages.slice(0, MAX_REPLIES);
  const dropped = messages.slice(MAX_REPLIES).reduce((count, blocks) => count + blocks.length, 0);
  return kept.map((blocks, index) => {
    const isLast = index === kept.length - 1;
    const note = isLast && dropped > 0 ? [section(`_${dropped} more sections are in the stored report._`)] : [];
    return { text: `Details of report ${reportId} (${index + 1} of ${kept.length})`, blocks: [...blocks, ...note] };
  });
}

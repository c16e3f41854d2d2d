import type { DeliveryContent } from '../../domain/delivery.ts';
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
} from './blocks.ts';
import { pieces } from './mrkdwn.ts';
import { factFields, footer, groups, headline, plainText, verdict, type Group, type Item } from './parts.ts';

export interface Message {
  /** Shown in notifications, and instead of the blocks where there are none. Never empty. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** A report as a first message and the replies that hold what did not fit. */
export interface Post {
  readonly root: Message;
  readonly replies: readonly Message[];
}

const MAX_FALLBACK = 2000;
/** A reader who wants more than this reads the stored report. */
const MAX_REPLIES = 8;
/** Kept free in the first message for the notes about what was left out. */
const NOTES_RESERVE = 600;

/**
 * Fits by structure: the verdict always stands in the first message, every list is there with its best items, and whole items move to
 * the thread. `blockId` marks the post so that it can be found again. `threads: false` where there are none: then the notes point to
 * the stored report.
 */
export function renderPost(content: DeliveryContent, blockId: string, options: { readonly threads: boolean }): Post {
  const told = verdict(content);
  const facts = factFields(content);
  const head = [header(headline(content)), section(told.text), ...(facts.length > 0 ? [fields(facts)] : [])];
  const foot = context(footer(content), blockId);
  const body = new Body(MAX_MESSAGE - messageLength([...head, foot]) - NOTES_RESERVE, options.threads);
  const lists = groups(content);
  // An equal share of what is left for each list: actions come last on the page but may not be crowded out by evidence.
  lists.forEach((group, index) => body.add(group, body.room / (lists.length - index)));

  const leftOver: Group[] = [
    ...(told.full === undefined
      ? []
      : [{ title: 'Summary in full', items: [{ text: '', full: told.full }], rootMax: 0 }]),
    ...body.leftOver,
  ];
  return {
    root: { text: plainText(content, MAX_FALLBACK), blocks: [...head, ...body.blocks, foot] },
    replies: options.threads ? replies(leftOver, content.report.id) : [],
  };
}

/** One section a group, filled item by item. */
class Body {
  readonly blocks: Block[] = [];
  readonly leftOver: Group[] = [];
  readonly #threads: boolean;
  room: number;

  constructor(room: number, threads: boolean) {
    this.room = room;
    this.#threads = threads;
  }

  add(group: Group, share: number): void {
    const limit = Math.min(MAX_SECTION - 120, Math.max(share, 0));
    const lines = [`*${group.title}*`];
    let length = lines[0]?.length ?? 0;
    let shown = 0;
    for (const item of group.items.slice(0, group.rootMax)) {
      if (length + 1 + item.text.length > limit) break;
      lines.push(item.text);
      length += 1 + item.text.length;
      shown++;
    }
    const rest = group.items.slice(shown);
    const cut = group.items.slice(0, shown).filter((item) => item.full !== undefined);
    if (rest.length > 0) lines.push(this.#note(rest.length, group));
    if (rest.length + cut.length > 0) this.leftOver.push({ ...group, items: [...cut, ...rest] });
    this.blocks.push(section(lines.join('\n')));
    this.room -= length;
  }

  #note(count: number, group: Group): string {
    const where = this.#threads ? 'in the thread' : 'in the stored report';
    return `_${count} more of ${group.items.length} ${where}_`;
  }
}

/** Packs sections into as few messages as the limits allow. */
function replies(leftOver: readonly Group[], reportId: string): readonly Message[] {
  const sections = leftOver.flatMap(sectionsOf);
  const messages: Block[][] = [];
  let current: Block[] = [];
  for (const block of sections) {
    if (current.length >= MAX_BLOCKS || messageLength([...current, block]) > MAX_MESSAGE) {
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
    const note =
      isLast && dropped > 0 ? [section(`_${dropped} more sections are in the stored report ${reportId}._`)] : [];
    return { text: `More of report ${reportId} (${index + 1} of ${kept.length})`, blocks: [...blocks, ...note] };
  });
}

/** Items joined up to the section limit; each text that was cut follows in full. */
function sectionsOf(group: Group): readonly Block[] {
  const texts: string[] = [];
  let current = `*${group.title}, continued*`;
  const flush = () => {
    if (current !== '') texts.push(current);
    current = '';
  };
  for (const line of group.items.flatMap(linesOf)) {
    if (current.length + 1 + line.length > MAX_SECTION) flush();
    current = current === '' ? line : `${current}\n${line}`;
  }
  flush();
  return texts.map(section);
}

function linesOf(item: Item): readonly string[] {
  if (item.full === undefined) return [item.text];
  return [item.text, ...pieces(item.full, MAX_SECTION - 60)].filter((line) => line !== '');
}

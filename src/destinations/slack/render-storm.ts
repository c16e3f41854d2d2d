import type { StormSummary } from '../../domain/storm.ts';
import { stormOutline } from '../storm-outline.ts';
import { writeLine } from '../write-outline.ts';
import { context, header, MAX_HEADER, MAX_MESSAGE, MAX_SECTION, messageLength, section } from './blocks.ts';
import type { Block, Message } from './blocks.ts';
import { plain, spansWithin } from './mrkdwn.ts';

/** Kept free for the line about what is not listed, and the last one. */
const RESERVE = 600;
/** Of a title or a summary. */
const MAX_TEXT = 240;

/** One standing message for many incidents: as many lines as have room, gravest first. */
export function renderStorm(storm: StormSummary): Message {
  const { headline, lead, sections, footer } = stormOutline(storm);
  const write = (spans: typeof footer) => writeLine(spans, spansWithin(MAX_TEXT));
  const title = plain(headline, MAX_HEADER);
  const head = [header(title), section(lead.map(write).join('\n'))];
  const lines = sections.flatMap(({ entries }) => entries.map(({ line }) => `• ${write(line)}`));
  const list = fitted(lines, MAX_MESSAGE - messageLength(head) - RESERVE);
  const left = storm.omitted + lines.length - list.shown;
  const more = left > 0 ? [section(`_+ ${left} more, see_ \`rootnote incidents show ${storm.id}\``)] : [];
  return { text: title, blocks: [...head, ...list.blocks, ...more, context(write(footer))] };
}

/** As many lines, from the first, as have room; in sections. */
function fitted(lines: readonly string[], room: number): { readonly blocks: Block[]; readonly shown: number } {
  const texts: string[] = [];
  let length = 0;
  let shown = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > room) break;
    const last = texts.at(-1);
    if (last === undefined || last.length + 1 + line.length > MAX_SECTION) texts.push(line);
    else texts[texts.length - 1] = `${last}\n${line}`;
    shown++;
  }
  return { blocks: texts.map(section), shown };
}

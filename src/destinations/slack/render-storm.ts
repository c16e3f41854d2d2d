import { duration } from '../../domain/relative-time.ts';
import type { StormInvestigation, StormSummary } from '../../domain/storm.ts';
import { context, header, MAX_HEADER, MAX_MESSAGE, MAX_SECTION, messageLength, section } from './blocks.ts';
import type { Block, Message } from './blocks.ts';
import { code, data, plain } from './mrkdwn.ts';
import { clock } from './parts.ts';

/** Kept free for the line about what is not listed, and the last one. */
const RESERVE = 600;

/** One standing message for many incidents: how many, since when, and a line an investigation, gravest first. */
export function renderStorm(storm: StormSummary): Message {
  const state = storm.isOver ? '🟡 STORM IS OVER' : '⛈️ ALERT STORM';
  const title = plain(`${state} · ${storm.incidents} incidents, ${storm.alerts} alerts`, MAX_HEADER);
  const head = [
    header(title),
    section(
      [
        `${storm.isOver ? 'Lasted' : 'For'} ${duration(storm.updatedAtMs - storm.startedAtMs)}, since ${clock(new Date(storm.startedAtMs).toISOString())}.`,
        `${count(storm.investigations.length + storm.omitted, 'investigation')} instead of ${count(storm.incidents, 'post')}:`,
      ].join(' '),
    ),
  ];
  const list = fitted(storm.investigations.map(lineOf), MAX_MESSAGE - messageLength(head) - RESERVE);
  const left = storm.omitted + storm.investigations.length - list.shown;
  const more = left > 0 ? [section(`_+ ${left} more, see_ \`rootnote reports list\``)] : [];
  const foot = context(
    `Storm ${code(storm.id, 130)} · as of ${clock(new Date(storm.updatedAtMs).toISOString())}; this message is kept up to date`,
  );
  return { text: title, blocks: [...head, ...list.blocks, ...more, foot] };
}

const STATES: Record<StormInvestigation['state'], string> = {
  waiting: '⏳ waiting',
  investigating: '🔎 investigating',
  reported: '✅ reported',
};

function lineOf({ title, severity, state, summary, members, incidentId }: StormInvestigation): string {
  const grave = severity ? `*${data(severity, 40)}* ` : '';
  const others = members > 0 ? ` _and ${members} more_` : '';
  const said = summary ? ` — ${data(summary, 240)}` : '';
  return `• ${grave}${data(title, 150)}${others} · ${STATES[state]}${said} · ${code(incidentId, 130)}`;
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

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

import { styleText } from 'node:util';
import { duration } from '../domain/relative-time.ts';
import type { Report } from '../domain/report.ts';
import type { Session, TranscriptEntry } from '../domain/session.ts';
import { oneLine, sanitize } from '../policy/untrusted.ts';
import { endedInWords } from './ended-words.ts';
import { hypothesisLines } from './print-hypotheses.ts';
import { counted } from '../domain/counted.ts';

/** A session with those of its sub-agents, in the order of the orders; and the report, when it is kept. */
export interface SessionTree {
  readonly session: Session;
  readonly subSessions: readonly Session[];
  readonly report: Report | undefined;
}

interface Printing {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** A session as a story: what it was about and how it ended, what it was told, then turn by turn what was said, looked up and found. Sub-agents where they were sent out. */
export function printSession({ session, subSessions, report }: SessionTree, colour: boolean): string {
  const paint = (style: 'bold' | 'dim') => (text: string) => (colour ? styleText(style, text) : text);
  const printing: Printing = { bold: paint('bold'), dim: paint('dim') };
  const opened = session.entries.some(({ role }) => role === 'user');
  const lines = [
    ...headOf(session, report, printing),
    ...(opened || session.brief === '' ? [] : ['', printing.bold('Brief'), sanitize(session.brief).trimEnd()]),
    ...turnsOf(session, subSessions, printing),
  ];
  const told = session.entries.map(({ text }) => text).join('\n');
  const elsewhere = subSessions.filter(({ id }) => !told.includes(id));
  const weighed = session.hypotheses
    ? ['', printing.bold('Hypotheses, as they stood at the end'), ...hypothesisLines(session.hypotheses)]
    : [];
  return `${[...lines, ...elsewhere.flatMap((sub) => subStory(sub, printing)), ...weighed].join('\n')}\n`;
}

function headOf(session: Session, report: Report | undefined, { bold }: Printing): readonly string[] {
  const about = report?.incident;
  return [
    bold(session.id),
    ...(about
      ? [`about: ${oneLine(about.title)}${about.service ? ` of ${about.service}` : ''}, ${about.startsAt}`]
      : []),
    ...(session.task === undefined ? [] : [`task: ${oneLine(session.task)}`]),
    ...(session.parentId === undefined ? [] : [`works for: ${session.parentId}`]),
    `ended: ${endedInWords(session.terminationReason)}, after ${duration(session.finishedAtMs - session.startedAtMs)}`,
    `used: ${usedOf(session)}`,
    ...(session.parentId === undefined && report ? verdictOf(report) : []),
  ];
}

function verdictOf({ id, status, confidence, summary, usage, mode }: Report): readonly string[] {
  const total = usage.input_tokens + usage.output_tokens + usage.cache_read_tokens;
  const cost = usage.cost_usd === null ? 'cost not known' : dollars(usage.cost_usd);
  const subs = counted(usage.sub_agents, 'sub-agent');
  return [
    ...(usage.sub_agents > 0 ? [`together with ${subs}: ${count(total)} tokens, ${cost}`] : []),
    `concluded: ${status} ${confidence.toFixed(2)}${mode === 'analyst' ? ' by the analyst' : ''}: ${oneLine(summary)} (${id})`,
  ];
}

/** `4 of 12 turns, 23,400 of 300,000 tokens, …`; what is not limited is only counted. */
function usedOf({ usage, allowed, toolCalls, startedAtMs, finishedAtMs }: Session): string {
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const of = (used: string, most: string | undefined) => (most === undefined ? used : `${used} of ${most}`);
  return [
    `${of(count(usage.turns), allowed && count(allowed.turns))} turns`,
    `${of(count(tokens), allowed && count(allowed.tokens))} tokens (${count(usage.cacheReadTokens)} from the cache)`,
    ...(toolCalls === undefined ? [] : [`${of(count(toolCalls), allowed && count(allowed.toolCalls))} tool calls`]),
    usage.costUsd === null
      ? 'cost not known'
      : of(dollars(usage.costUsd), allowed?.costUsd == null ? undefined : dollars(allowed.costUsd)),
    of(duration(finishedAtMs - startedAtMs), allowed && duration(allowed.timeMs)),
  ].join(', ');
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

/** Every entry in order; the instructions, which are the same every time, in one line. */
function turnsOf(session: Session, subSessions: readonly Session[], printing: Printing): readonly string[] {
  let turn = 0;
  return session.entries.flatMap((entry) => {
    if (entry.role === 'assistant') turn += 1;
    const at = `+${duration(entry.atMs - session.startedAtMs)}`;
    const sent = subSessions.filter(({ id }) => entry.tool?.name === 'delegate' && entry.text.includes(id));
    return ['', ...entryLines(entry, turn, at, printing), ...sent.flatMap((sub) => subStory(sub, printing))];
  });
}

function entryLines(entry: TranscriptEntry, turn: number, at: string, { bold, dim }: Printing): readonly string[] {
  const { role, text, tool } = entry;
  const version = role === 'system' ? /^\[prompt version (\d+)\]/.exec(text)?.[1] : undefined;
  if (version !== undefined) return [dim(`${at} instructions, version ${version} (--json shows them)`)];
  if (tool) {
    const call = oneLine(`${tool.name} ${JSON.stringify(tool.input)}`);
    return [bold(`${at} looked up: ${call}${tool.isError ? ' FAILED' : ''}`), ...bodyOf(text)];
  }
  const said = { system: 'was reminded', user: 'was told', assistant: `turn ${turn}`, tool: 'tool' }[role];
  return [bold(`${at} ${said}`), ...(text.trim() === '' ? [] : bodyOf(text))];
}

/** Without the fences, which are for the model. */
function bodyOf(text: string): readonly string[] {
  const lines = sanitize(text).split('\n');
  return lines.filter((line) => !/^<\/?untrusted-/.test(line)).map((line) => (line === '' ? '' : `  ${line}`));
}

/** A sub-agent's story, indented. What it was told before its task is what its parent was told. */
function subStory(sub: Session, printing: Printing): readonly string[] {
  const [, ...told] = sub.entries.filter(({ role }) => role !== 'system');
  const lines = [...headOf(sub, undefined, printing), ...turnsOf({ ...sub, entries: told }, [], printing)];
  const lost = told.length === 0 ? sub.entries.map(({ text }) => oneLine(text)) : [];
  return ['', ...lines, ...lost].map((line) => (line === '' ? '' : `    ${line}`));
}

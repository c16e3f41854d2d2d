import { styleText } from 'node:util';
import { counted } from '../domain/counted.ts';
import { duration } from '../domain/relative-time.ts';
import { oneLine } from '../policy/untrusted.ts';
import type { CheckList, CheckView } from './list-checks.ts';

const STYLES: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  healthy: 'green',
  found: 'yellow',
  inconclusive: 'red',
  skipped: 'yellow',
  missed: 'red',
};

interface Looks {
  readonly colour: boolean;
  readonly nowMs: number;
}

/** What `rootnote check list` prints: each check with its last and next tick, then whatever is wrong. */
export function printChecks(
  { checks, missing, broken, incomplete, silentSince, redis }: CheckList,
  looks: Looks,
): string {
  const off = checks.filter(({ enabled }) => !enabled).length;
  const total =
    checks.length === 0 ? 'No checks' : `${counted(checks.length, 'check')}${off > 0 ? `, ${off} disabled` : ''}`;
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  const warnings = [
    ...(redis === null ? [] : [`what became of them is not known: ${redis}`]),
    ...(silentSince === null ? [] : [silence(silentSince, looks.nowMs)]),
    ...(missing === null ? [] : [missing]),
    ...broken.map((mistake) => `does not run: ${mistake}`),
    ...incomplete.map((mistake) => `runs without it: ${mistake}`),
  ];
  const lines = [...checks.flatMap((check) => checkLines(check, width, looks)), `${total}.`];
  return [...lines, ...warnings.map((warning) => `! ${oneLine(warning)}`)].join('\n').concat('\n');
}

function checkLines(check: CheckView, width: number, looks: Looks): readonly string[] {
  const { name, description, enabled, when, timezone, unrun } = check;
  const head = `${name.padEnd(width)}  ${oneLine(description)}; ${when} (${timezone})${enabled ? '' : ', disabled'}`;
  const below = [lastLine(check, looks), nextLine(check, looks), ...unrun.map((words) => `! ${words}`)];
  return [head, ...below.filter((line) => line !== undefined).map((line) => `${' '.repeat(width)}  ${line}`)];
}

function lastLine({ last, result }: CheckView, { colour, nowMs }: Looks): string | undefined {
  if (last === null && result === null) return undefined;
  const paint = (status: string) => (colour && STYLES[status] ? styleText(STYLES[status], status) : status);
  const tick = last && `last ${minuteOf(last.at)} (${ago(last.at, nowMs)}): ${paint(last.status)}`;
  const told = result && `${oneLine(result.summary)} (${result.report}, confidence ${result.confidence})`;
  if (tick === null) return `result of ${minuteOf(result?.at ?? '')}: ${told}`;
  if (result === null) return tick;
  const isOfLast = result.at === last?.at;
  return isOfLast
    ? `${tick}: ${told}`
    : `${tick}; before that ${minuteOf(result.at)}: ${paint(result.status)}: ${told}`;
}

function nextLine({ next, enabled }: CheckView, { nowMs }: Looks): string | undefined {
  if (!enabled) return undefined;
  return next === null ? 'next: never' : `next ${minuteOf(next)} (in ${duration(Date.parse(next) - nowMs)})`;
}

function silence(since: string, nowMs: number): string {
  const remedy = 'start rootnote schedule, or all';
  if (since === 'never') return `no scheduler has looked at them so far: ${remedy}`;
  return `no scheduler has looked at them since ${minuteOf(since)} (${ago(since, nowMs)}): ${remedy}`;
}

/** `2026-11-29 10:00Z`. */
function minuteOf(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')}Z`;
}

function ago(iso: string, nowMs: number): string {
  return `${duration(nowMs - Date.parse(iso))} ago`;
}

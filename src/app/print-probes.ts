import { styleText } from 'node:util';
import { duration } from '../domain/relative-time.ts';
import type { CheckReport, Report } from '../domain/report.ts';
import { clip, oneLine } from '../policy/untrusted.ts';
import { WIDTH, wrap } from './wrap.ts';

type Probe = CheckReport['probes'][number];
type Finding = CheckReport['findings'][number];

/** Of what stands behind the name: others' text, one line. */
const MOST_CHARACTERS = 110;
/** The same where hosts stand in it: which of them could not be read has to be seen, though it takes a second line. */
const MOST_OF_HOSTS = 220;

/**
 * The probes of a check for a terminal, one line each, those that found something with a line a finding, and those that have no answer for one reason together; empty
 * for a report without probes.
 */
export function printProbes({ check, incident }: Report, { colour }: { readonly colour: boolean }): string {
  if (!check) return '';
  const paint = (style: Parameters<typeof styleText>[0], text: string) => (colour ? styleText(style, text) : text);
  const width = Math.max(...check.probes.map(({ name }) => name.length));
  const lines = check.probes.flatMap((probe) => {
    const name = probe.name.padEnd(width);
    const own = check.findings.filter((finding) => finding.probe === probe.name);
    if (probe.status === 'unanswered') {
      const alike = check.probes.filter(({ status, note }) => status === 'unanswered' && note === probe.note);
      if (alike[0] !== probe) return [];
      const reason = shown(`no answer: ${probe.note ?? ''}`, mostOf(probe));
      if (alike.length === 1) return [`${paint('yellow', '?')} ${name}  ${reason}`];
      const [first = '', ...further] = wrap(alike.map((one) => one.name).join(', '), '', WIDTH - 4);
      return [`${paint('yellow', '?')} ${first}`, ...further, `  ${reason}`];
    }
    // A graver probe that asked the same tells it.
    if (own.length === 0 && probe.status === 'found') return [`${paint('red', '✗')} ${name}  as another probe says`];
    if (own.length === 0) return [`${paint('green', '✓')} ${name}  ${shown(clearLine(probe), mostOf(probe))}`];
    const atMs = Date.parse(incident.startsAt);
    return own.map(
      (finding, i) => `${paint('red', '✗')} ${i === 0 ? name : ' '.repeat(width)}  ${shown(foundLine(finding, atMs))}`,
    );
  });
  return `${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

function mostOf({ kind }: Probe): number {
  return kind === 'certificate' ? MOST_OF_HOSTS : MOST_CHARACTERS;
}

function clearLine({ looked_at: lookedAt, nearest, note }: Probe): string {
  return [lookedAt === 0 ? 'there are none' : `${lookedAt} looked at`, note, nearest && `nearest: ${nearest}`]
    .filter(Boolean)
    .join('; ');
}

function foundLine({ severity, object, value, limit, since }: Finding, atMs: number): string {
  const so = since === null ? '' : `, for ${duration(Math.max(0, atMs - Date.parse(since)))}`;
  return `${severity}: ${object}: ${value} (${limit})${so}`;
}

function shown(text: string, most = MOST_CHARACTERS): string {
  return clip(oneLine(text), most);
}

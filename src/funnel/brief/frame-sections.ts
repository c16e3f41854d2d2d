import type { Ranking, Suspect, SuspectReason } from '../../domain/brief.ts';
import type { Incident } from '../../domain/incident.ts';
import type { Gap } from '../../domain/telemetry.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { MUST_PRIORITY } from './choose-lines.ts';
import { line, lineWithin, type Line, type Section } from './section.ts';

/** The suspects after the first, best first: below what must be there, above everything else. */
const SUSPECT_PRIORITY = 50;
const PLAIN_PRIORITY = 1;
const TOP_SUSPECTS = 5;
const MAX_REASONS = 4;
const MAX_REASON = 150;
const MAX_LABELS = 60;
const MAX_GAPS = 200;

export function headerSection(incident: Incident, alertEvidenceId: string | undefined, budget: number): Section {
  const at = new Date(incident.startsAtMs);
  const trigger = Number.isNaN(at.getTime()) ? 'unknown' : at.toISOString();
  const part = (text: string, priority: number, share: number) =>
    lineWithin(text, MUST_PRIORITY + priority, Math.max(8, Math.floor(budget * share)));
  const said = new Set([incident.service, incident.title, incident.severity]);
  const labels = Object.entries(incident.labels)
    .filter(([, value]) => !said.has(value))
    .slice(0, MAX_LABELS)
    .map(([name, value], i) => line(`label ${name}=${value}`, PLAIN_PRIORITY - i / 1000, 160));
  return {
    title: incident.kind === 'check' ? 'Scheduled check' : 'Incident',
    share: 0.1,
    lines: [
      part(`service: ${incident.service ?? '(not named by the alert)'}`, 4, 0.05),
      part(`${alertEvidenceId === undefined ? 'check' : `[${alertEvidenceId}] alert`}: ${incident.title}`, 3, 0.06),
      part(`severity: ${incident.severity ?? '(none)'}`, 1, 0.02),
      line(`trigger: ${trigger}`, MUST_PRIORITY + 2, 60),
      ...labels,
    ],
    none: '',
    noun: 'lines',
  };
}

export function topSuspects(ranking: Ranking): readonly Suspect[] {
  return ranking.suspects.slice(0, TOP_SUSPECTS).filter((suspect) => suspect.score > 0);
}

export function suspectSection(ranking: Ranking): Section {
  const suspects = topSuspects(ranking);
  const others = ranking.suspects.length - suspects.length;
  const confidence = `ranker's confidence in the first: ${ranking.confidence.toFixed(2)}${others > 0 ? `; ${others} other services score lower or nothing` : ''}`;
  return {
    title: 'Suspects (deterministic ranking, best first)',
    share: 0.2,
    lines: [
      ...suspects.map((suspect, i) =>
        line(suspectText(suspect, i + 1), i === 0 ? MUST_PRIORITY : SUSPECT_PRIORITY - i, 720),
      ),
      ...(suspects.length > 0 ? [line(confidence, PLAIN_PRIORITY, 200)] : []),
    ],
    none: 'none: no service stands out',
    noun: 'lines',
  };
}

function suspectText(suspect: Suspect, place: number): string {
  const reasons = reasonsInOrder(suspect).map(
    ({ type, statement, evidenceIds }) =>
      `${type}: ${clipAtClause(oneLine(statement), MAX_REASON)} [${evidenceIds.slice(0, 5).join(', ')}]`,
  );
  const name = clip(oneLine(suspect.service), 100);
  return `${place}. ${name}, score ${suspect.score.toFixed(2)}, ${suspect.rootCauseType}: ${reasons.join('; ')}`;
}

/** Half a figure misleads: a text that is too long ends with its last whole clause, when that is most of it. */
function clipAtClause(text: string, max: number): string {
  if (text.length <= max) return text;
  const clauses = [...text.slice(0, max - 1).matchAll(/; |, (?=\D)| \(/g)];
  const end = clauses.at(-1)?.index ?? 0;
  return end > max / 2 ? `${clip(text.slice(0, end), end)} …` : clip(text, max);
}

/** What may have set it off and what names the type, then the heaviest others, one a type of reason. */
function reasonsInOrder({ trigger, mechanism = [], reasons }: Suspect): readonly SuspectReason[] {
  const seen = new Set<string>();
  const ordered = [...(trigger ? [trigger] : []), ...mechanism, ...reasons];
  return ordered.filter(({ type }) => !seen.has(type) && seen.add(type)).slice(0, MAX_REASONS);
}

export function gapSection(gaps: readonly Gap[]): Section {
  return {
    title: 'Gaps',
    share: 0.03,
    lines: gaps
      .slice(0, MAX_GAPS)
      .map((gap, i): Line => line(`- ${gap.source}: ${gap.message}`, PLAIN_PRIORITY - i / 1000, 300)),
    none: 'none: everything that was asked for was read',
    noun: 'gaps',
  };
}

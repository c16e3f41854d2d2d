import type { Ranking, Suspect } from '../../domain/brief.ts';
import type { Evidence, EvidenceKind } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import type { Gap } from '../../domain/telemetry.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { Layer } from '../layers.ts';
import { MUST_PRIORITY } from './choose-lines.ts';
import { line, lineWithin, type Line, type Section } from './section.ts';

/** Weights are 0–1. A layer's first note counts what it left out and stands above them; its other notes below the telling items. */
const FIRST_NOTE_PRIORITY = 2;
const NOTE_PRIORITY = 0.6;
/** What the suspects cite, then the suspects themselves, then what must be there. */
const CITED_PRIORITY = 10;
const SUSPECT_PRIORITY = 50;

const TOP_SUSPECTS = 5;
const MAX_LINE_CHARACTERS = 420;
const MAX_LABELS = 60;
/** More lines than any budget shows; the rest is only counted. */
const MAX_LINES = 500;

/** Weighed evidence: an item of a layer, or one that only a suspect cites. */
export interface WeighedEvidence {
  readonly evidence: Evidence;
  readonly weight: number;
}

export function headerSection(incident: Incident, alertEvidenceId: string | undefined, budget: number): Section {
  const at = new Date(incident.startsAtMs);
  const trigger = Number.isNaN(at.getTime()) ? 'unknown' : at.toISOString();
  const part = (text: string, priority: number, share: number) =>
    lineWithin(text, MUST_PRIORITY + priority, Math.max(8, Math.floor(budget * share)));
  const said = new Set([incident.service, incident.title, incident.severity]);
  const labels = Object.entries(incident.labels)
    .filter(([, value]) => !said.has(value))
    .slice(0, MAX_LABELS)
    .map(([name, value], i) => line(`label ${name}=${value}`, 1 - i / 1000, 160));
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
        line(suspectText(suspect, i + 1), i === 0 ? MUST_PRIORITY : SUSPECT_PRIORITY - i, 600),
      ),
      ...(suspects.length > 0 ? [line(confidence, FIRST_NOTE_PRIORITY, 200)] : []),
    ],
    none: 'none: no service stands out',
    noun: 'lines',
  };
}

function suspectText(suspect: Suspect, place: number): string {
  const reasons = suspect.reasons
    .slice(0, 3)
    .map(
      ({ type, statement, evidenceIds }) =>
        `${type}: ${clip(oneLine(statement), 140)} [${evidenceIds.slice(0, 5).join(', ')}]`,
    );
  const name = clip(oneLine(suspect.service), 100);
  return `${place}. ${name}, score ${suspect.score.toFixed(2)}, ${suspect.rootCauseType}: ${reasons.join('; ')}`;
}

/** What the layers of the funnel found. The state layer fills two sections: what is and happened, and what was changed. */
export interface Layers {
  readonly metrics: Layer;
  readonly logs: Layer;
  readonly state: Layer;
  readonly traces: Layer;
}

interface LayerSection {
  readonly title: string;
  readonly kinds: readonly EvidenceKind[];
  /** Whose notes stand here. */
  readonly layer?: keyof Layers;
  readonly share: number;
  readonly none: string;
}

const LAYER_SECTIONS: readonly LayerSection[] = [
  {
    title: 'Metrics',
    kinds: ['metric'],
    layer: 'metrics',
    share: 0.24,
    none: 'none: no metric deviates from its baseline',
  },
  {
    title: 'Logs',
    kinds: ['log'],
    layer: 'logs',
    share: 0.2,
    none: 'none: no log template is new, rare or more frequent',
  },
  {
    title: 'Events and state',
    kinds: ['state', 'event'],
    layer: 'state',
    share: 0.14,
    none: 'none: no related warning events or conditions of objects',
  },
  { title: 'Changes', kinds: ['change'], share: 0.04, none: 'none: no change is recorded' },
  { title: 'Traces', kinds: ['trace'], layer: 'traces', share: 0.05, none: 'none: no call became slower or failed' },
];

/** One section a layer. `cited` holds the ids that the top suspects rest on, most important first: they are cut last, in that order. */
export function layerSections(
  evidence: readonly WeighedEvidence[],
  layers: Layers,
  cited: readonly string[],
  triggerMs: number,
): readonly Section[] {
  const places = new Map(cited.map((id, place) => [id, place]));
  const priorityOf = ({ evidence: { id }, weight }: WeighedEvidence) => {
    const place = places.get(id);
    return place === undefined ? weight : CITED_PRIORITY + CITED_PRIORITY / (1 + place);
  };
  return LAYER_SECTIONS.map(({ title, kinds, layer, share, none }) => {
    const own = evidence.filter((item) => kinds.includes(item.evidence.kind));
    const heaviest = new Set(own.toSorted((a, b) => priorityOf(b) - priorityOf(a)).slice(0, MAX_LINES));
    const items = own.filter((item) => heaviest.has(item));
    const uncounted = own.length > items.length ? [`${own.length - items.length} more items of lower weight.`] : [];
    const notes = [...(layer ? layers[layer].notes : []), ...uncounted];
    return {
      title,
      share,
      none,
      noun: 'lines',
      lines: [
        ...(items.length === 0 && notes.length > 0 ? [line(none, MUST_PRIORITY, 200)] : []),
        ...items.map((item) => line(evidenceText(item.evidence, triggerMs), priorityOf(item), MAX_LINE_CHARACTERS)),
        ...notes.map((note, i) => line(`Note: ${note}`, i === 0 ? FIRST_NOTE_PRIORITY : NOTE_PRIORITY, 300)),
      ],
    };
  });
}

/** `[M1] cart: … (45 s before the alert, 14:31:15Z)`: the time both ways (SPEC C7), unless the statement already says it. */
function evidenceText({ id, service, statement, atMs }: Evidence, triggerMs: number): string {
  const about = service && !statement.includes(service) ? `${service}: ` : '';
  const text = `[${id}] ${about}${statement}`;
  if (atMs === undefined || !Number.isFinite(atMs) || Math.abs(atMs) > 8.64e15) return text;
  const clock = `${new Date(atMs).toISOString().slice(11, 19)}Z`;
  const relative = statement.includes('the alert') ? '' : `${relativeTime(atMs, triggerMs)}, `;
  const time = ` (${relative}${clock})`;
  // The time must survive when a long statement is clipped.
  return `${clip(oneLine(text), MAX_LINE_CHARACTERS - time.length)}${time}`;
}

export function gapSection(gaps: readonly Gap[]): Section {
  return {
    title: 'Gaps',
    share: 0.03,
    lines: gaps
      .slice(0, MAX_LINES)
      .map((gap, i): Line => line(`- ${gap.source}: ${gap.message}`, FIRST_NOTE_PRIORITY - i / 1000, 300)),
    none: 'none: everything that was asked for was read',
    noun: 'gaps',
  };
}

import type { Evidence, EvidenceKind } from '../../domain/evidence.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { Layer } from '../layers.ts';
import { MUST_PRIORITY } from './choose-lines.ts';
import { line, type Section } from './section.ts';

/** Weights are 0–1. A layer's first note counts what it left out and stands above them; its other notes below the telling items. */
const FIRST_NOTE_PRIORITY = 2;
const NOTE_PRIORITY = 0.6;
/** What the suspects cite is cut after everything else of its section. */
const CITED_PRIORITY = 10;

const MAX_LINE_CHARACTERS = 520;
/** More lines than any budget shows; the rest is only counted. */
const MAX_LINES = 500;

/** Weighed evidence: an item of a layer, or one that only a suspect cites. */
export interface WeighedEvidence {
  readonly evidence: Evidence;
  readonly weight: number;
}

/** What the layers of the funnel found. The state layer fills two sections: what is and happened, and what was changed. */
export interface Layers {
  readonly metrics: Layer;
  readonly logs: Layer;
  readonly state: Layer;
  readonly traces: Layer;
}

export type LayerName = keyof Layers | 'changes';

interface LayerSection {
  readonly name: LayerName;
  readonly title: string;
  readonly kinds: readonly EvidenceKind[];
  readonly share: number;
  /** Said when what was read shows nothing. */
  readonly none: string;
}

const LAYER_SECTIONS: readonly LayerSection[] = [
  { name: 'metrics', title: 'Metrics', kinds: ['metric'], share: 0.24, none: 'no metric deviates from its baseline' },
  { name: 'logs', title: 'Logs', kinds: ['log'], share: 0.2, none: 'no log template is new, rare or more frequent' },
  {
    name: 'state',
    title: 'Events and state',
    kinds: ['state', 'event'],
    share: 0.14,
    none: 'no related warning events or conditions of objects',
  },
  { name: 'changes', title: 'Changes', kinds: ['change'], share: 0.04, none: 'no change is recorded' },
  { name: 'traces', title: 'Traces', kinds: ['trace'], share: 0.05, none: 'no call became slower or failed' },
];

/**
 * One section a layer. A layer of which nothing was read says so: no data is no proof of health. `cited` holds the ids that the top suspects rest on, most important first: they are cut
 * last, in that order.
 */
export function layerSections(
  evidence: readonly WeighedEvidence[],
  layers: Layers,
  unread: ReadonlySet<LayerName>,
  cited: readonly string[],
  triggerMs: number,
): readonly Section[] {
  const places = new Map(cited.map((id, place) => [id, place]));
  const placeOf = ({ evidence: { id } }: WeighedEvidence) => places.get(id) ?? Infinity;
  const priorityOf = ({ evidence: { id }, weight }: WeighedEvidence) => {
    const place = places.get(id);
    return place === undefined ? weight : CITED_PRIORITY + CITED_PRIORITY / (1 + place);
  };
  return LAYER_SECTIONS.map(({ name, title, kinds, share, none: nothing }) => {
    const own = evidence.filter((item) => kinds.includes(item.evidence.kind));
    const heaviest = new Set(own.toSorted((a, b) => priorityOf(b) - priorityOf(a)).slice(0, MAX_LINES));
    const shown = own.filter((item) => heaviest.has(item));
    // What the suspects rest on is read first; states and changes keep the order of the call chain (SPEC C4).
    const items = CHAINED.has(name) ? shown : shown.toSorted((a, b) => compare(placeOf(a), placeOf(b)));
    const uncounted = own.length > items.length ? [`${own.length - items.length} more items of lower weight.`] : [];
    const notes = [...(name === 'changes' ? [] : layers[name].notes), ...uncounted];
    const none = unread.has(name) ? 'none: nothing of this kind was read' : `none: ${nothing}`;
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

const CHAINED: ReadonlySet<LayerName> = new Set(['state', 'changes']);

const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

const SAYS_WHEN = /\b(?:before|after|at) the alert\b/;

/** `[M1] cart: … (45 s before the alert, 14:31:15Z)`: the time both ways (SPEC C7), unless the statement already says it. */
function evidenceText({ id, service, statement, atMs }: Evidence, triggerMs: number): string {
  const about = service && !statement.includes(service) ? `${service}: ` : '';
  const text = `[${id}] ${about}${statement}`;
  if (atMs === undefined) return text;
  const clock = `${new Date(atMs).toISOString().slice(11, 19)}Z`;
  const relative = SAYS_WHEN.test(statement) ? '' : `${relativeTime(atMs, triggerMs)}, `;
  const time = ` (${relative}${clock})`;
  // The time must survive when a long statement is clipped.
  return `${clip(oneLine(text), MAX_LINE_CHARACTERS - time.length)}${time}`;
}

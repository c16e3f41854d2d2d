import type { MetricSeries, Telemetry } from '../domain/telemetry.ts';

/** All lists of a Telemetry; those of the reference under a name of their own. */
type Lists = Pick<Telemetry, 'series' | 'logs' | 'spans' | 'spanStats' | 'events' | 'objects' | 'changes'> & {
  readonly usualLogs: Telemetry['logs'];
  readonly usualSpans: Telemetry['spans'];
};
type ListName = keyof Lists;
type Frame = Omit<Telemetry, ListName | 'reference'>;

/** A part of a Telemetry that is small enough to be copied to a thread without holding up the event loop. */
export type Parcel =
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'items'; readonly list: ListName; readonly items: readonly unknown[] };

/** About so many characters and numbers go into a parcel: a few milliseconds of copying. */
const PARCEL_SIZE = 300_000;

/** How much an item is to copy: its longest part, and a constant for the rest. */
const SIZES: { readonly [Name in ListName]: (item: Lists[Name][number]) => number } = {
  series: ({ timesMs }) => 500 + 2 * timesMs.length,
  logs: ({ message }) => 150 + message.length,
  usualLogs: ({ message }) => 150 + message.length,
  spans: () => 400,
  usualSpans: () => 400,
  spanStats: () => 250,
  events: ({ message }) => 400 + message.length,
  objects: () => 10_000,
  changes: ({ summary }) => 200 + summary.length,
};
const LIST_NAMES = Object.keys(SIZES) as ListName[];

/** The telemetry in parcels. `assemble` puts them together again. */
export function* parcelsOf(telemetry: Telemetry): Generator<Parcel, void> {
  const { series, logs, spans, spanStats, events, objects, changes, reference, ...frame } = telemetry;
  const lists: Lists = {
    series,
    logs,
    spans,
    spanStats,
    events,
    objects,
    changes,
    usualLogs: reference.logs,
    usualSpans: reference.spans,
  };
  yield { kind: 'frame', frame };
  for (const list of LIST_NAMES) yield* slicesOf(list, lists[list] as readonly never[]);
}

function* slicesOf<Name extends ListName>(list: Name, items: readonly Lists[Name][number][]): Generator<Parcel, void> {
  let start = 0;
  let size = 0;
  for (const [place, item] of items.entries()) {
    size += SIZES[list](item);
    if (size < PARCEL_SIZE && place < items.length - 1) continue;
    yield { kind: 'items', list, items: ownBuffers(items.slice(start, place + 1)) };
    start = place + 1;
    size = 0;
  }
}

/** A copied view of a buffer takes the whole buffer along, seen or not. */
function ownBuffers(items: readonly unknown[]): readonly unknown[] {
  return items.map((item) => {
    const { timesMs, values } = item as Partial<MetricSeries>;
    if (!timesMs || !values || timesMs.buffer.byteLength === timesMs.byteLength) return item;
    return { ...(item as MetricSeries), timesMs: timesMs.slice(), values: values.slice() };
  });
}

/** Puts a telemetry together from its parcels, in the order they came. */
export class Assembly {
  #frame: Frame | undefined;
  readonly #lists = new Map<ListName, unknown[]>();
  readonly #texts = new Map<string, string>();

  add(parcel: Parcel): void {
    if (parcel.kind === 'frame') {
      this.#frame = parcel.frame;
      return;
    }
    const list = this.#lists.get(parcel.list) ?? [];
    this.#lists.set(parcel.list, list);
    for (const item of parcel.items) list.push(this.#sharingTexts(item as object));
  }

  /** Throws when no frame has come. */
  finish(): Telemetry {
    if (!this.#frame) throw new Error('a telemetry without its frame');
    const list = <Name extends ListName>(name: Name) => (this.#lists.get(name) ?? []) as unknown as Lists[Name];
    return {
      ...this.#frame,
      series: list('series'),
      logs: list('logs'),
      spans: list('spans'),
      spanStats: list('spanStats'),
      events: list('events'),
      objects: list('objects'),
      changes: list('changes'),
      reference: { logs: list('usualLogs'), spans: list('usualSpans') },
    };
  }

  /** Copying makes a new text of every service and level; a million lines name but a few. */
  #sharingTexts(item: object): object {
    const record = item as Record<string, unknown>;
    for (const name of ['service', 'level', 'operation'] as const) {
      const text = record[name];
      if (typeof text !== 'string' || text.length > LONGEST_SHARED) continue;
      const known = this.#texts.get(text);
      if (known !== undefined) record[name] = known;
      else if (this.#texts.size < MOST_SHARED) this.#texts.set(text, text);
    }
    return record;
  }
}

const LONGEST_SHARED = 200;
const MOST_SHARED = 50_000;

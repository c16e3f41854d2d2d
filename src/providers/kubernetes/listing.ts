import type { KubernetesObject } from '../../domain/telemetry.ts';
import { nameOf, namespaceOf } from '../../funnel/events/identity.ts';
import { at, listAt, textAt } from '../../funnel/events/json-path.ts';
import type { KubernetesApi } from './api.ts';
import { editsOf, type Edit } from './edits.ts';
import { readPages, type ListRequest } from './pages.ts';
import { trimObject } from './trim.ts';

/** An object as it is kept, and who changed it when. */
export interface ReadObject {
  readonly object: KubernetesObject;
  readonly edits: readonly Edit[];
}

/** What one list has given so far: also what was read before it failed or the time ran out. */
export class Listing {
  readonly request: ListRequest;
  /** Read to its end, and nothing left out: what is missing in it is not there. */
  isWhole = false;
  /** Read to its end. */
  isRead = false;
  /** Objects that came, kept or not. */
  seen = 0;
  characters = 0;
  /** The list expired meanwhile, and shows two moments. */
  hasSeam = false;
  /** True when the server does not serve it, or not to us. */
  isRefused = false;
  readonly #most: number;
  /** By namespace and name, for what is read anew after a list expired comes twice. */
  readonly #telling = new Map<string, ReadObject>();
  readonly #others = new Map<string, ReadObject>();

  /** Keeps at most `most` objects; of more, those that tell of trouble. */
  constructor(request: ListRequest, most: number) {
    this.request = request;
    this.#most = most;
  }

  get keptCount(): number {
    return Math.min(this.#most, this.#telling.size + this.#others.size);
  }

  /** In the order of the API, but those that tell of trouble first. */
  get kept(): readonly ReadObject[] {
    const [telling, others] = [[...this.#telling.values()], [...this.#others.values()]];
    return [...telling, ...others].slice(0, this.#most).map((read) => (this.isWhole ? read : partial(read)));
  }

  /** Reads page by page, so that never more than one page is there as the API sent it. Throws `KubernetesError`. */
  async read(api: KubernetesApi, signal: AbortSignal): Promise<void> {
    for await (const page of readPages(api, this.request, signal)) {
      this.characters += page.characters;
      this.hasSeam ||= page.isSeam;
      for (const item of page.items) {
        const object = trimObject(item, this.request.resource);
        if (object === undefined) continue;
        this.#add({ object, edits: editsOf(item, this.request.resource) });
      }
    }
    this.isRead = true;
    this.isWhole = this.request.fieldSelector === undefined && this.seen <= this.#most;
  }

  #add(read: ReadObject): void {
    const key = `${namespaceOf(read.object)}/${nameOf(read.object)}`;
    const isKnown = this.#telling.delete(key) || this.#others.delete(key);
    if (!isKnown) this.seen += 1;
    const group = isTelling(read.object, this.request.resource.kind) ? this.#telling : this.#others;
    if (group.size < this.#most) group.set(key, read);
  }
}

/** A pod that runs and is ready says little, as do an event of the usual course and a replica set that was replaced. */
function isTelling(object: KubernetesObject, kind: string): boolean {
  if (kind === 'Event') return at(object, 'type') === 'Warning';
  if (kind === 'ReplicaSet') return at(object, 'spec', 'replicas') !== 0;
  return kind === 'Pod' && isUnwell(object);
}

function isUnwell(pod: KubernetesObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  if (phase === 'Succeeded') return false;
  const containers = listAt(pod, 'status', 'containerStatuses');
  return phase !== 'Running' || containers.some((container) => at(container, 'ready') !== true);
}

/** Where a list is not whole, an object that is missing in it may be there all the same: the analyst asks by this mark. */
function partial({ object, edits }: ReadObject): ReadObject {
  const metadata = object['metadata'] as Readonly<Record<string, unknown>>;
  const annotations = { ...(at(metadata, 'annotations') as object | undefined), 'recording/list': 'partial' };
  return { object: { ...object, metadata: { ...metadata, annotations } }, edits };
}

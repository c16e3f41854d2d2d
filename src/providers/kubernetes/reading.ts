import pLimit from 'p-limit';
import type { Gap } from '../../domain/telemetry.ts';
import { Ledger } from '../backend/ledger.ts';
import type { KubernetesApi } from './api.ts';
import { KubernetesError, PROVIDER } from './api-error.ts';
import { Listing } from './listing.ts';
import type { ListRequest } from './pages.ts';
import { tellRefusals, type Refusal } from './refusals.ts';
import { ALL_RESOURCES, inWords } from './resources.ts';

/** Requests under way at the same time: an API server shares its seats out among all who ask (priority and fairness). */
const PARALLEL = 4;

/** What is to be listed, and how much of it is kept at most. */
export interface Wanted extends ListRequest {
  readonly most: number;
  /** Something else is asked when this is refused, which is no gap then. */
  readonly isTentative?: boolean;
}

/** Many lists of one cluster, of which some may be refused, fail or come too late. */
export class ClusterReading {
  readonly api: KubernetesApi;
  readonly ledger = new Ledger(PROVIDER);
  readonly #limit = pLimit(PARALLEL);
  readonly #listings: Listing[] = [];
  readonly #unread: string[] = [];
  #isLate = false;
  readonly #refusals: Refusal[] = [];
  /** The server cannot be used. */
  #isUnusable = false;

  constructor(api: KubernetesApi) {
    this.api = api;
  }

  /** The lists in the order asked for, each as far as it came. Never rejects but for what is no failure of the server. */
  async readAll(wanted: readonly Wanted[], signal: AbortSignal): Promise<readonly Listing[]> {
    return Promise.all(wanted.map((one) => this.#limit(() => this.#read(one, signal))));
  }

  async #read({ most, isTentative = false, ...request }: Wanted, signal: AbortSignal): Promise<Listing> {
    const listing = new Listing(request, most);
    this.#listings.push(listing);
    const isDone = await this.ledger.attempt(() => this.#readOne(listing, isTentative, signal));
    this.ledger.characters += listing.characters;
    if (isDone === undefined) this.#noteUnread(listing);
    return listing;
  }

  /** Undefined: neither whole nor refused. */
  async #readOne(listing: Listing, isTentative: boolean, signal: AbortSignal): Promise<true | undefined> {
    if (signal.aborted) return this.#runOut();
    try {
      await listing.read(this.api, signal);
      return true;
    } catch (error) {
      // The deadline is told once, with all that was not read by then.
      if (signal.aborted) return this.#runOut();
      if (error instanceof KubernetesError) {
        this.#isLate ||= error.timedOut;
        this.#isUnusable ||= !error.answered;
      }
      if (!(error instanceof KubernetesError) || (error.status !== 404 && error.status !== 403)) throw error;
      listing.isRefused = true;
      // An API group that this cluster does not have is no gap.
      if (error.status === 403 && !isTentative) this.#refusals.push({ request: listing.request, error });
      return true;
    }
  }

  #runOut(): undefined {
    this.#isLate = true;
  }

  /** Where nothing at all was read the reason is told alone. What is to be raised helps against time only. */
  #tellUnread(): readonly string[] {
    if (this.#unread.length === 0 || (this.#isUnusable && !this.hasAnswered)) return [];
    const remedy = this.#isLate ? ` ${WHAT_TO_RAISE}` : '';
    return [`not read to the end: ${inTableOrder(this.#unread).join(', ')}.${remedy}`];
  }

  #noteUnread({ request, seen }: Listing): void {
    const words = inWords(request.resource, request.namespace);
    this.#unread.push(seen > 0 ? `${words} after the first ${seen}` : words);
  }

  /** Whether any list was read. */
  get hasAnswered(): boolean {
    return this.#listings.some(({ isRead, seen }) => isRead || seen > 0);
  }

  /** Of lists that the API server does not have, in words. Where others could be read that is no gap. */
  get unserved(): readonly string[] {
    return this.#listings
      .filter(({ isRefused }) => isRefused)
      .map(
        ({ request }) => `the API server does not serve ${inWords(request.resource, request.namespace)} (HTTP 404).`,
      );
  }

  /** What was refused, failed, cut or not read in time. */
  get gaps(): readonly Gap[] {
    const seams = this.#listings.filter(({ hasSeam }) => hasSeam);
    const cut = this.#listings.filter(({ keptCount, seen }) => keptCount < seen);
    const messages = [
      ...tellRefusals(this.#refusals),
      ...this.#tellUnread(),
      ...seams.map(
        ({ request }) =>
          `${inWords(request.resource, request.namespace)} were read at two moments, for the list expired (HTTP 410): what was made or removed in between may be missing.`,
      ),
      ...cut.map(
        ({ request, keptCount, seen }) =>
          `kept ${keptCount} of ${seen} ${inWords(request.resource, request.namespace)}, those that are not well first; raise KUBERNETES_MAX_OBJECTS.`,
      ),
    ];
    return [...this.ledger.gaps, ...messages.map((message) => ({ source: PROVIDER, message }))];
  }
}

const WHAT_TO_RAISE = 'Raise KUBERNETES_TIMEOUT_MS or INVESTIGATION_TIMEOUT_MS, or name fewer KUBERNETES_NAMESPACES.';

/** Requests come back in any order; a reader gets them in ours. */
function inTableOrder(words: readonly string[]): readonly string[] {
  const place = (text: string) =>
    ALL_RESOURCES.findIndex(({ plural }) => text.startsWith(`${plural} `) || text === plural);
  return words.toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}

import { isRecord, type JsonRecord } from '../json-record.ts';
import { at, listAt, textAt } from '../../funnel/events/json-path.ts';
import type { KubernetesApi } from './api.ts';
import { KubernetesError } from './api-error.ts';
import { inWords, pathOf, type Resource } from './resources.ts';

/** What is to be listed. */
export interface ListRequest {
  readonly resource: Resource;
  /** Undefined: of the whole cluster. */
  readonly namespace: string | undefined;
  readonly fieldSelector?: string;
  /** Objects a page. */
  readonly limit?: number;
}

export interface Page {
  readonly items: readonly JsonRecord[];
  readonly characters: number;
  /** Objects behind this page, when the server says. */
  readonly remaining: number | undefined;
  /** The list expired before this page, and goes on with the state of now. */
  readonly isSeam: boolean;
}

/** What a server holds in memory for one answer; kubectl asks for the same. */
const PAGE_SIZE = 500;
/** Expired lists that are taken up again, and pages: no server is followed for ever. */
const MOST_SEAMS = 3;
const MOST_PAGES = 2000;

const ONLY_METADATA =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1';

/**
 * The pages of a list (https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks), one at a time. Without a
 * `resourceVersion`: with 0 servers may answer from memory, but then ignore the limit and send everything at once. When a list expires halfway (410) it goes on from
 * the token that comes with the refusal, else it begins again, so an object may come twice. Never watches. Throws `KubernetesError`.
 */
export async function* readPages(
  api: KubernetesApi,
  request: ListRequest,
  signal: AbortSignal,
): AsyncGenerator<Page, void, void> {
  let token: string | undefined;
  let isSeam = false;
  for (let page = 0, seams = 0; page < MOST_PAGES; page += 1) {
    const answer = await readPage(api, request, token, signal);
    if ('expired' in answer) {
      seams += 1;
      if (seams > MOST_SEAMS) throw answer.expired;
      token = answer.expired.continueToken;
      isSeam = true;
      continue;
    }
    yield { ...answer.page, isSeam };
    isSeam = false;
    if (answer.next === undefined) return;
    if (answer.next === token) break;
    token = answer.next;
  }
  throw endless(request);
}

function endless({ resource, namespace }: ListRequest): KubernetesError {
  const problem = `The list of ${inWords(resource, namespace)} does not end: its pages lead to the same page again, or are more than ${MOST_PAGES}.`;
  const remedy = 'Look at what stands between Rootnote and the API server, or name fewer KUBERNETES_NAMESPACES.';
  return new KubernetesError({ problem, remedy, answered: true }, `GET ${pathOf(resource, namespace)}`);
}

async function readPage(
  api: KubernetesApi,
  request: ListRequest,
  token: string | undefined,
  signal: AbortSignal,
): Promise<
  { readonly page: Omit<Page, 'isSeam'>; readonly next: string | undefined } | { readonly expired: KubernetesError }
> {
  const { resource, namespace, fieldSelector, limit = PAGE_SIZE } = request;
  const query = new URLSearchParams({ limit: String(limit) });
  if (fieldSelector !== undefined) query.set('fieldSelector', fieldSelector);
  if (token !== undefined) query.set('continue', token);
  const right = { verb: 'list', group: resource.group, resource: resource.plural, namespace } as const;
  const accept = resource.metadataOnly ? { accept: ONLY_METADATA } : {};
  const question = { path: `${pathOf(resource, namespace)}?${query.toString()}`, right, ...accept };
  try {
    const { value, characters } = await api.readList(question, signal);
    const remaining = at(value, 'metadata', 'remainingItemCount');
    return {
      page: {
        items: listAt(value, 'items').filter(isRecord),
        characters,
        remaining: typeof remaining === 'number' ? remaining : undefined,
      },
      next: textAt(value, 'metadata', 'continue'),
    };
  } catch (error) {
    if (error instanceof KubernetesError && error.status === 410 && token !== undefined) return { expired: error };
    throw error;
  }
}

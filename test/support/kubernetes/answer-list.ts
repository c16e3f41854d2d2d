import type { AskedPath } from './api-paths.ts';
import { PLURALS } from './api-paths.ts';
import { failure, type Answer } from './status.ts';

interface StoredObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

export interface ListState {
  readonly objects: object[];
  readonly expiry: { readonly afterPages: number; readonly offersToken: boolean } | undefined;
  /** Pages given by each path since its list began. */
  readonly pages: Map<string, number>;
}

/** Where a list goes on, and from which state; the real token is opaque, too. */
interface Token {
  readonly start: string;
  readonly isInconsistent?: boolean;
}

/**
 * A page of a list by the documented rules: sorted by namespace and name, at most `limit`, with a token while there is more, and what remains only without a selector. An expired token is
 * refused with 410 and, when it is offered, one that goes on with the newest state.
 */
export function answerList(state: ListState, path: AskedPath, params: URLSearchParams, accept: string): Answer {
  const kind = PLURALS.get(path.plural) ?? '';
  const selector = params.get('fieldSelector');
  const chosen = selectorOf(selector);
  if (chosen === undefined) return failure(400, 'BadRequest', `field label not supported: ${selector}`);
  const all = (state.objects as StoredObject[])
    .filter((object) => isOf(object, kind, path))
    .filter((object) => path.namespace === '' || object.metadata?.namespace === path.namespace)
    .filter(chosen)
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (path.name !== '') {
    const found = all.find((object) => object.metadata?.name === path.name);
    return found ? { json: found } : failure(404, 'NotFound', `${path.plural} "${path.name}" not found`);
  }
  const token = readToken(params.get('continue'));
  const expired = token && expiry(state, path, token);
  if (expired) return expired;
  if (!token) state.pages.set(listKey(path), 0);
  state.pages.set(listKey(path), (state.pages.get(listKey(path)) ?? 0) + 1);

  const rest = token ? all.filter((object) => keyOf(object) >= token.start) : all;
  const page = rest.slice(0, Number(params.get('limit') ?? rest.length));
  const next = rest[page.length];
  const remaining = selector === null && next ? { remainingItemCount: rest.length - page.length } : {};
  const metadata = {
    resourceVersion: '1000',
    ...(next ? { continue: writeToken({ start: keyOf(next) }) } : {}),
    ...remaining,
  };
  const apiVersion = path.group === '' ? 'v1' : `${path.group}/v1`;
  if (accept.includes('as=PartialObjectMetadataList')) {
    const items = page.map(({ metadata: own }) => ({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: own,
    }));
    return { json: { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items } };
  }
  // Objects in a list carry neither kind nor version.
  const items = page.map(({ kind: _kind, apiVersion: _version, ...object }) => object);
  return { json: { kind: `${kind}List`, apiVersion, metadata, items } };
}

/** The two APIs of events show the same ones, each in its own words. */
function isOf(object: StoredObject, kind: string, { group }: AskedPath): boolean {
  if (object.kind !== kind) return false;
  return kind !== 'Event' || (object.apiVersion?.startsWith('events.k8s.io') ?? false) === (group === 'events.k8s.io');
}

function keyOf({ metadata }: StoredObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

const listKey = ({ group, namespace, plural }: AskedPath) => `${group}/${namespace}/${plural}`;

function expiry(state: ListState, path: AskedPath, token: Token): Answer | undefined {
  if (!state.expiry || token.isInconsistent || (state.pages.get(listKey(path)) ?? 0) < state.expiry.afterPages)
    return undefined;
  const message = 'The provided continue parameter is too old to display a consistent list result.';
  const metadata = state.expiry.offersToken ? { continue: writeToken({ ...token, isInconsistent: true }) } : {};
  return failure(410, 'Expired', message, { metadata });
}

function readToken(text: string | null): Token | undefined {
  return text === null ? undefined : (JSON.parse(Buffer.from(text, 'base64url').toString()) as Token);
}

function writeToken(token: Token): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

const FIELDS: Readonly<Record<string, (object: StoredObject) => unknown>> = {
  'metadata.name': ({ metadata }) => metadata?.name,
  'metadata.namespace': ({ metadata }) => metadata?.namespace,
  'involvedObject.name': ({ involvedObject }) => (involvedObject as StoredObject | undefined)?.['name'],
  'involvedObject.kind': ({ involvedObject }) => (involvedObject as StoredObject | undefined)?.['kind'],
  'spec.nodeName': ({ spec }) => (spec as { readonly nodeName?: string } | undefined)?.nodeName,
  reason: ({ reason }) => reason,
  type: ({ type }) => type,
};

/** Undefined for a field that the API does not know. */
function selectorOf(selector: string | null): ((object: StoredObject) => boolean) | undefined {
  const terms = (selector ?? '')
    .split(',')
    .filter(Boolean)
    .map((term) => term.split('='));
  if (terms.some(([field = '']) => FIELDS[field] === undefined)) return undefined;
  return (object) => terms.every(([field = '', value]) => FIELDS[field]?.(object) === value);
}

import type { Span } from '../../src/domain/telemetry.ts';
import type { SurvivalKind } from './kind.ts';
import { passesCheckout, requestSpans, SPANS_PER_REQUEST } from './quiet.ts';
import type { Scene } from './scene.ts';
import { every, lengthOf, TRIGGER_MS, TROUBLE } from './timeline.ts';

const PATH = ['gateway', 'checkout', 'ledger'];
const USUAL = [0.09, 0.05, 0.02];

/** Takes the requests through the checkout away that fall into the trouble, and puts as many others in their place. */
function traceKind(
  name: string,
  request: (seconds: number, i: number) => readonly Span[],
  ...shows: readonly RegExp[]
): SurvivalKind {
  const plant = (scene: Scene) => {
    const fromUs = (TRIGGER_MS + TROUBLE[0] * 1000) * 1000;
    const kept = scene.spans.filter(({ timeUs, traceId }) => timeUs < fromUs || !passesCheckout(traceId));
    const requests = (scene.spans.length - kept.length) / SPANS_PER_REQUEST;
    scene.spans = [...kept, ...every(lengthOf(TROUBLE) / requests, TROUBLE, request).flat()];
  };
  return { name, haystack: 'spans', plant, shows: [/^\[T/, ...shows] };
}

export const TRACE_KINDS: readonly SurvivalKind[] = [
  traceKind(
    'time lost between two services',
    (at, i) => requestSpans(at, PATH, [1.9, 1.85, 0.02], `slow${i}`, { lost: 1.8 }),
    /between checkout and ledger/,
    /→ 1\.8/,
  ),
  traceKind(
    'an operation that became slow itself',
    (at, i) => requestSpans(at, PATH, [1.3, 1.25, 1.2], `slow${i}`),
    /ledger's own time in book/,
    /→ 1\.2/,
  ),
  traceKind(
    'calls that fail at their end',
    (at, i) => requestSpans(at, PATH, USUAL, `bad${i}`, { failing: i % 8 ? undefined : 'ledger' }),
    /calls fail in ledger first/,
  ),
  traceKind(
    'a tenth of the calls of one edge is slow',
    (at, i) => requestSpans(at, PATH, i % 10 ? USUAL : [5.1, 5.05, 0.02], `some${i}`, { lost: i % 10 ? 0 : 5 }),
    /between checkout and ledger/,
    /\b5(?:\.0\d)? s/,
  ),
  traceKind(
    'a call that is no longer made',
    (at, i) => requestSpans(at, PATH.slice(0, 2), [0.06, 0.03], `short${i}`),
    /checkout/,
    /ledger/,
    /no (?:more|longer)|none|→ 0/,
  ),
];

import { pick } from '../seeded-random.ts';
import { logKind } from './kind.ts';
import { every, logLine, QUIET, TROUBLE } from './timeline.ts';

/** A line that was always there and comes as often as ever, but says something else. */
export const DRIFT_KINDS = [
  logKind(
    'a duration that grew',
    ({ random }) => [
      ...every(5, QUIET, (at, i) =>
        logLine(at, 'checkout', 'INFO', `settled order ${i} in ${Math.round(30 + 20 * random())} ms`),
      ),
      ...every(5, TROUBLE, (at, i) =>
        logLine(at, 'checkout', 'INFO', `settled order ${i} in ${Math.round(2600 + 400 * random())} ms`),
      ),
    ],
    /settled order/,
    /\b[34]\d(?:\.\d)? (?:ms )?→ 2[.,]?[6-9]/,
  ),
  logKind(
    'a duration that grew in half of the lines',
    ({ random }) => [
      ...every(3, QUIET, (at, i) =>
        logLine(at, 'ledger', 'DEBUG', `fsync of segment ${i} took ${(3 + 2 * random()).toFixed(1)}ms`),
      ),
      ...every(3, TROUBLE, (at, i) =>
        logLine(at, 'ledger', 'DEBUG', `fsync of segment ${i} took ${((i % 2 ? 900 : 3) + 2 * random()).toFixed(1)}ms`),
      ),
    ],
    /fsync of segment/,
    /→ (?:90\d ms|0\.90)/,
  ),
  logKind(
    'a number in a logfmt field',
    ({ random }) => [
      ...every(4, QUIET, (at) =>
        logLine(
          at,
          'checkout',
          '',
          `level=info msg="batch written" rows=500 elapsed_ms=${Math.round(18 + 8 * random())}`,
        ),
      ),
      ...every(4, TROUBLE, (at) =>
        logLine(
          at,
          'checkout',
          '',
          `level=info msg="batch written" rows=500 elapsed_ms=${Math.round(1900 + 80 * random())}`,
        ),
      ),
    ],
    /batch written/,
    /elapsed_ms/,
    /→ 1[.,]?9/,
  ),
  logKind(
    'a number in a JSON field',
    ({ random }) => [
      ...every(4, QUIET, (at) =>
        logLine(
          at,
          'ledger',
          'INFO',
          JSON.stringify({ level: 'info', msg: 'page fetched', bytes: 4096, wait_ms: Math.round(5 + 3 * random()) }),
        ),
      ),
      ...every(4, TROUBLE, (at) =>
        logLine(
          at,
          'ledger',
          'INFO',
          JSON.stringify({ level: 'info', msg: 'page fetched', bytes: 4096, wait_ms: Math.round(700 + 90 * random()) }),
        ),
      ),
    ],
    /page fetched/,
    /wait_ms/,
    /→ (?:7\d\d ms|0\.7)/,
  ),
  logKind(
    'a value that became dominant',
    ({ random }) => [
      ...every(2, QUIET, (at, i) =>
        logLine(at, 'checkout', 'INFO', `order ${i} routed to acquirer-${pick(random, [1, 2, 3, 4])}`),
      ),
      ...every(2, TROUBLE, (at, i) => logLine(at, 'checkout', 'INFO', `order ${i} routed to acquirer-3`)),
    ],
    /routed to/,
    /acquirer-3/,
    /%/,
  ),
  logKind(
    'a pool that is used up',
    ({ random }) => [
      ...every(5, QUIET, (at) => logLine(at, 'ledger', 'DEBUG', poolLine(Math.round(6 + 6 * random())))),
      ...every(5, TROUBLE, (at) => logLine(at, 'ledger', 'DEBUG', poolLine(50))),
    ],
    /connections/,
    /→ 50\b/,
  ),
  logKind(
    'a retry count',
    ({ random }) => [
      ...every(3, QUIET, (at, i) =>
        logLine(at, 'checkout', 'INFO', `charge ${i} accepted at attempt ${random() < 0.95 ? 1 : 2} of 6`),
      ),
      ...every(3, TROUBLE, (at, i) =>
        logLine(at, 'checkout', 'INFO', `charge ${i} accepted at attempt ${pick(random, [4, 5, 6])} of 6`),
      ),
    ],
    /accepted at attempt/,
    /→ [456]\b|1 → [456]/,
  ),
  logKind(
    'a status code in prose',
    ({ random }) => [
      ...every(3, QUIET, (at, i) =>
        logLine(at, 'checkout', 'INFO', `acquirer answered request ${i} with status ${random() < 0.99 ? 200 : 503}`),
      ),
      ...every(3, TROUBLE, (at, i) =>
        logLine(at, 'checkout', 'INFO', `acquirer answered request ${i} with status 503`),
      ),
    ],
    /answered request/,
    /503/,
    /status/,
  ),
  logKind(
    'a number that fell',
    ({ random }) => [
      ...every(5, QUIET, (at) =>
        logLine(at, 'ledger', 'INFO', `disk /data has ${Math.round(40 + 4 * random())} GB free`),
      ),
      ...every(5, TROUBLE, (at) =>
        logLine(at, 'ledger', 'INFO', `disk /data has ${(1.2 * random()).toFixed(1)} GB free`),
      ),
    ],
    /disk \S+ has/,
    /4\d(?:\.\d)? (?:Gi?B )?→ (?:0?\.\d|\d{2,3} Mi?B)/,
  ),
];

function poolLine(active: number): string {
  return `connections of pool main: active=${active} idle=${50 - active} waiting=${active === 50 ? 31 : 0}`;
}

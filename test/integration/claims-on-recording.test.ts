import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Brief } from '../../src/domain/brief.ts';
import type { Evidence } from '../../src/domain/evidence.ts';
import type { Incident } from '../../src/domain/incident.ts';
import { analyse } from '../../src/funnel/analyst/analyse.ts';
import { distil } from '../../src/funnel/distil.ts';
import { verifyAgainst } from '../../src/investigate/verify-against.ts';
import { wordsOfAlert } from '../../src/policy/claims/alert-words.ts';
import { checkClaim } from '../../src/policy/claims/check-claim.ts';
import { createRecordingProvider, readRecordedIncident } from '../../src/providers/recording/index.ts';

const DIRECTORY = 'demo/recording';
const OPTIONS = { tokenBudget: 5820, eventWindowMs: 300_000 };

let incident: Incident;
let brief: Brief;

beforeAll(async () => {
  incident = await readRecordedIncident(DIRECTORY);
  const window = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  const telemetry = await createRecordingProvider(DIRECTORY).gather(incident, window, new AbortController().signal);
  brief = distil(incident, telemetry, OPTIONS);
});

function evidence(...parts: readonly RegExp[]): readonly Evidence[] {
  return parts.map((part) => {
    const found = brief.evidence.find(({ statement }) => part.test(statement));
    if (!found) throw new Error(`no evidence says ${String(part)}`);
    return found;
  });
}

const CHANGE = /db_pool_max changed/;
const ERRORS = /connection pool exhausted/;
const WAITING = /^payments db_pool_waiting_requests/;
const SLOW = /^storefront http_request_duration_seconds_p50/;
const FAILING = /^payments http_errors_per_second/;
const LIMIT = /^payments db_pool_connections_max/;
const REFUSED = /^failing calls from storefront to checkout/;
const WAITED = /^calls from checkout to payments, p50/;
const IN_FLIGHT = /^storefront http_client_requests_in_flight/;
const ORDERS = /order for cart/;
const MEMORY = /^ledger-db process_resident_memory_bytes/;
const LAG = /^ledger-db nodejs_eventloop_lag_p99_seconds/;
const QUERIES = /^calls from payments to ledger-db/;
const CACHE = /cache_seconds changed/;
const ALERT = /^alert fired/;

describe('claims about a real recording', () => {
  test('what the analyst says of it is contradicted by nothing', () => {
    const conclusion = analyse(incident, brief);
    expect(verifyAgainst(incident, brief, conclusion, brief.evidence)).toEqual({
      conclusion,
      problems: [],
      removed: [],
    });
  });

  const kindsOf = (service: string, statement: string, cited: readonly RegExp[]) =>
    checkClaim(
      { statement, service, evidence: evidence(...cited), background: [wordsOfAlert(incident)] },
      incident.startsAtMs,
    ).map(({ kind }) => kind);

  test.each<[string, string, RegExp[]]>([
    ['payments', 'db_pool_max was cut from 16 to 2 at 21:48:10, 30 s before the alert.', [CHANGE]],
    ['payments', 'The pool went down to an eighth (16 to 2, −87.5 %).', [CHANGE]],
    [
      'payments',
      'Since 21:48:16 UTC there were 300 "connection pool exhausted" errors, all 2 connections in use, up to 19 waiting, each given up after 2 s.',
      [ERRORS],
    ],
    ['payments', 'Within 6 s of the change the first of about 300 errors was logged.', [CHANGE, ERRORS]],
    ['payments', 'Waiting requests rose from 0 to 26 about 20 s before the alert and peaked 25 s after it.', [WAITING]],
    ['payments', 'It returned up to 2.9 errors/s (HTTP 503s) from 21:48:25 on.', [FAILING]],
    [
      'storefront',
      'Its median latency rose from 0.3 s to 2.1 s, more than six times (531 %), within half a minute.',
      [SLOW],
    ],
    ['storefront', 'p50 went from 331 ms to about 2,090 ms; the alert fires above 1.5 s at p95 (2.45 s now).', [SLOW]],
    ['storefront', 'storefront waits for payments, where 26 requests queue for 2 connections.', [WAITING]],
    ['storefront', 'It was still slow at 21:50.', [SLOW]],
    [
      'storefront',
      'p50 jumped roughly sixfold, from 330 ms to 2.1 s, starting about 10 seconds before the alert.',
      [SLOW],
    ],
    ['storefront', 'Its median request duration reached 2,092 ms at 21:50:20.', [SLOW]],
    ['storefront', '20 s after the change, its requests went from 331 ms to 2.09 s.', [SLOW, CHANGE]],
    ['storefront', 'It exceeds 2 s since 21:48:30Z, 1.76 s more than usual.', [SLOW]],
    ['storefront', 'In-flight requests rose from 3 to 28, more than nine times as many: nearly 30.', [IN_FLIGHT]],
    [
      'storefront',
      'The alert fired at 21:48:40: the 95th percentile is 2.45 s against an objective of 1.5 s.',
      [ALERT],
    ],
    ['payments', 'At 21:48:10 UTC db_pool_max was lowered from 16 to 2, an 88 % reduction.', [CHANGE]],
    ['payments', 'Half a minute before the alert the pool was reduced to an eighth.', [CHANGE]],
    ['payments', 'Errors rose after db_pool_max was changed from 16 to 2.', [CHANGE, FAILING]],
    ['payments', 'Errors rose once db_pool_connections_max was at 2.', [LIMIT, FAILING]],
    ['payments', 'The failure rate increased because the pool was cut from 16 to 2 connections.', [CHANGE, FAILING]],
    ['payments', 'More than 250 pool errors followed within 2 min 24 s.', [ERRORS]],
    ['payments', 'Up to 26 requests waited for a connection, peaking at 21:49:05.', [WAITING]],
    ['payments', 'The limit dropped by 14 connections to 2; 12.5 % of the pool is left.', [LIMIT]],
    ['payments', 'It returns 2.9 errors/s, about 171 a minute or 10,300 per hour, up from zero.', [FAILING]],
    ['payments', 'Setting db_pool_max back from 2 to 16 should restore service.', [CHANGE]],
    ['checkout', 'Calls to payments slowed from 0.38 s to between 2.1 s and 2.3 s at the median.', [WAITED]],
    ['checkout', 'About 170 calls per minute from storefront fail.', [REFUSED]],
    ['checkout', 'It could not place 303 orders, since payments answered 503.', [ORDERS]],
    ['checkout', 'Altogether some 600 lines of errors in two services.', [ERRORS, ORDERS]],
    ['ledger-db', 'Its memory barely changed (55.5 to 57.9 MiB, i.e. +2.4 MiB).', [MEMORY]],
    ['ledger-db', 'It uses 61 MB, 4 % more than before.', [MEMORY]],
    ['ledger-db', 'Event loop lag fell to 11 ms from 19 ms: it is idle rather than overloaded.', [LAG]],
    ['ledger-db', 'The database receives a fifth fewer calls (15.2 /s instead of 19.2 /s).', [QUERIES]],
    ['ledger-db', 'Throughput fell because every call took longer to rise from the queue.', [QUERIES]],
    ['catalogue', 'It doubled cache_seconds from 30 to 60 almost four minutes before the alert, at 21:44:49.', [CACHE]],
  ])('right, of %s: %s', (service, statement, cited) => {
    expect(kindsOf(service, statement, cited)).toEqual([]);
  });

  test.each<[string, string, RegExp[], string]>([
    ['payments', 'db_pool_max was raised from 2 to 160.', [CHANGE], 'number'],
    ['payments', 'db_pool_max was cut at 20:15, long before.', [CHANGE], 'time'],
    ['payments', 'There were 4,500 errors.', [ERRORS], 'number'],
    ['payments', 'db_pool_waiting_requests fell.', [WAITING], 'direction'],
    ['storefront', 'http_request_duration_seconds_p50 fell sharply.', [SLOW], 'direction'],
    ['storefront', 'Its latency rose by 4000 %.', [SLOW], 'number'],
    ['catalogue', 'Its pool is exhausted.', [WAITING], 'subject'],
    ['payments', 'db_pool_max was raised from 16 to 2.', [CHANGE], 'direction'],
    ['payments', 'db_pool_max went from 2 to 16.', [CHANGE], 'direction'],
    ['payments', 'db_pool_connections_max has increased.', [LIMIT], 'direction'],
    ['payments', 'db_pool_max was lowered to 12.', [CHANGE], 'number'],
    ['payments', 'Up to 84 requests waited.', [WAITING], 'number'],
    ['payments', 'It returns 14 errors per second.', [FAILING], 'number'],
    ['payments', 'More than 900 pool errors were logged.', [ERRORS], 'number'],
    ['payments', 'An hour before the alert db_pool_max was changed.', [CHANGE], 'time'],
    ['payments', 'db_pool_max was changed fifteen minutes before the alert.', [CHANGE], 'time'],
    ['checkout', 'About 40 % of its calls fail.', [REFUSED], 'number'],
    ['ledger-db', 'It uses 512 MiB of memory.', [MEMORY], 'number'],
    ['ledger-db', 'Calls halved to 8.4 per second.', [QUERIES], 'number'],
    ['ledger-db', 'Calls from payments to ledger-db rose to 15.2 /s.', [QUERIES], 'direction'],
    ['ledger-db', 'nodejs_eventloop_lag_p99_seconds rose to 10.7 ms.', [LAG], 'direction'],
  ])('wrong, of %s: %s', (service, statement, cited, kind) => {
    expect(kindsOf(service, statement, cited)).toEqual([kind]);
  });
});

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
  ])('wrong, of %s: %s', (service, statement, cited, kind) => {
    expect(kindsOf(service, statement, cited)).toEqual([kind]);
  });
});

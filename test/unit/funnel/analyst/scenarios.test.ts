import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import type { Incident } from '../../../../src/domain/incident.ts';
import type { Conclusion } from '../../../../src/domain/report.ts';
import type { LogRecord, Telemetry } from '../../../../src/domain/telemetry.ts';
import { analyse } from '../../../../src/funnel/analyst/analyse.ts';
import { distil } from '../../../../src/funnel/distil.ts';
import { verifyConclusion } from '../../../../src/investigate/verify.ts';
import { createRecordingProvider, readRecordedIncident } from '../../../../src/providers/recording/index.ts';
import { incident, MINUTE_MS, series, step, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';
import { latencies } from '../rank/rank-shop.ts';

const OPTIONS = { tokenBudget: 5820, eventWindowMs: 300_000 };

/** The verdict on an incident; it has to pass the check of its own evidence as it is. */
function conclude(alert: Incident, given: Telemetry): Conclusion {
  const brief = distil(alert, given, OPTIONS);
  const conclusion = analyse(alert, brief);
  const services = new Set(brief.ranking.suspects.map(({ service }) => service));
  const { problems, removed, conclusion: verified } = verifyConclusion(conclusion, brief.evidence, services);
  expect({ problems, removed }).toEqual({ problems: [], removed: [] });
  expect(verified.confidence).toBe(conclusion.confidence);
  return conclusion;
}

const line = (service: string, level: string, message: string, atMs: number): LogRecord => ({
  timeMs: atMs,
  service,
  level,
  message,
});
const routine = Array.from({ length: 120 }, (_, i) =>
  line('orders', 'INFO', `order ${i} accepted`, TRIGGER_MS - (120 - i) * 30_000),
);
const errors = (service: string, message: string) =>
  Array.from({ length: 25 }, (_, i) => line(service, 'ERROR', message, TRIGGER_MS - 100_000 + i * 4000));
const logs = (...all: LogRecord[][]) => [...routine, ...all.flat()].toSorted((a, b) => a.timeMs - b.timeMs);
const slow = latencies({ web: [0.2, 1.2], orders: [0.1, 1.1], stock: [0.05, 1.05], payments: [0.05, 0.05] });
const change = (kind: string, summary: string, service = 'stock') => ({
  timeMs: TRIGGER_MS - 4 * MINUTE_MS,
  service,
  kind,
  summary,
});

describe('what the person paged reads', () => {
  test.each<[string, Partial<Telemetry>, string]>([
    ['a full disk', { series: slow, logs: logs(errors('stock', 'write /data: no space left on device')) }, 'disk_full'],
    [
      'an expired certificate',
      { series: slow, logs: logs(errors('stock', 'x509: certificate has expired')) },
      'certificate',
    ],
    ['a name that does not resolve', { logs: logs(errors('stock', 'lookup cache: no such host')) }, 'dns'],
    ['a missing right', { logs: logs(errors('stock', 'open /etc/key: permission denied')) }, 'permission'],
    ['a code that throws', { logs: logs(errors('stock', 'java.lang.NullPointerException at Reserve')) }, 'code_error'],
    ['a lagging consumer', { series: [...slow, series('stock', 'consumer_lag', step(20, 90_000))] }, 'queue_backlog'],
    ['its own time and nothing else', { series: slow }, 'unknown'],
    [
      'a change and nothing more specific',
      { series: slow, changes: [change('config', 'ttl from 9 to 1')] },
      'config_change',
    ],
    [
      'a deployment and nothing more specific',
      { series: slow, changes: [change('deploy', 'stock 1.4')] },
      'deployment_change',
    ],
  ])('%s', (_name, given, type) => {
    const conclusion = conclude(incident(), telemetry({ ...given, rawCharacters: 1000 }));
    expect(conclusion).toMatchObject({ root_cause_service: 'stock', root_cause_type: type });
    expect(conclusion.summary.length).toBeLessThan(400);
    expect(conclusion.confidence_reasons.length).toBeLessThanOrEqual(3);
  });

  test('a change of another service is not the trigger', () => {
    const conclusion = conclude(
      incident(),
      telemetry({ series: slow, changes: [change('config', 'ttl 9', 'search')] }),
    );
    expect(conclusion.root_cause_service).toBe('stock');
    expect(JSON.stringify(conclusion.action_plan)).not.toContain('Revert');
  });
});

describe('the demo', () => {
  const folder = fileURLToPath(new URL('../../../../demo/recording', import.meta.url));
  const always = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

  test('is explained from the changed setting to the alert, and the change is to be taken back', async () => {
    const alert = await readRecordedIncident(folder);
    const given = await createRecordingProvider(folder).gather(alert, always, new AbortController().signal);
    const conclusion = conclude(alert, given);
    expect(conclusion).toMatchObject({
      status: 'determined',
      root_cause_service: 'payments',
      root_cause_type: 'connection_exhaustion',
    });
    expect(conclusion.summary).toMatch(
      /db_pool_max changed from 16 to 2, \d+ s before the alert; since then storefront/,
    );
    const [trigger, mechanism, ...way] = conclusion.causal_chain;
    expect(trigger).toMatchObject({ service: 'payments', evidence: ['C1'] });
    expect(mechanism?.statement).toContain('connection pool exhausted');
    expect(way.map(({ service }) => service)).toEqual(['checkout', 'storefront']);
    const [proposal] = conclusion.action_plan.filter(({ risk }) => risk !== 'R0');
    expect(proposal?.step).toBe('Revert the change of payments: db_pool_max changed from 16 to 2.');
    expect(conclusion.action_plan.indexOf(proposal as (typeof conclusion.action_plan)[number])).toBe(1);
    expect(conclusion.action_plan.at(-1)?.step).toMatch(/^Afterwards, watch payments db_pool_waiting_requests: /);
    expect(JSON.stringify(conclusion.action_plan)).not.toMatch(/kubectl|container_/);
  });
});

import { describe, expect, test } from '@jest/globals';
import type { LogRecord } from '../../../../src/domain/telemetry.ts';
import { TRIGGER_MS } from '../incident-model/shop.ts';
import { finding, rank } from './rank-shop.ts';

const lines = (service: string, message: string, fromMs: number, count: number, level = 'error'): LogRecord[] =>
  Array.from({ length: count }, (_, i) => ({ timeMs: TRIGGER_MS + fromMs + i * 1000, service, level, message }));

/** Quiet logs of an hour, so that there is a usual time to compare with. */
const quiet = ['orders', 'stock'].flatMap((service) =>
  lines(service, 'handled one more request', -3_600_000, 40, 'info'),
);
const waiting = finding('orders', 0.85, 'probe_failure');
const refused = 'query on stock failed: access denied for user "orders"';

describe('a state that follows from somebody else', () => {
  test('passes on to whom the log of the service names', () => {
    const { first } = rank({ logs: [...quiet, ...lines('orders', refused, -60_000, 40)] }, [waiting]);
    expect(first.service).toBe('stock');
    expect(first.reasons[0]?.statement).toContain('orders is in a state');
  });

  test('stays where the log says nothing', () => {
    expect(rank({ logs: quiet }, [waiting]).first.service).toBe('orders');
  });

  test('stays where the state itself says what is wrong', () => {
    const missingKey = finding('orders', 0.95, 'config_change');
    const { first } = rank({ logs: [...quiet, ...lines('orders', refused, -60_000, 40)] }, [missingKey]);
    expect(first.service).toBe('orders');
  });

  test('stays right after a change of the service', () => {
    const changed = finding('orders', 0.5, 'deployment_change', 'change');
    const { first } = rank({ logs: [...quiet, ...lines('orders', refused, -60_000, 40)] }, [waiting, changed]);
    expect(first.service).toBe('orders');
  });

  test('passes on to a callee with new errors where the log of the service was not read', () => {
    const silent = quiet.filter(({ service }) => service === 'stock');
    const logs = [...silent, ...lines('stock', 'authentication failed for user "orders"', -60_000, 40)];
    const { first } = rank({ logs }, [{ ...waiting, dependsOn: ['stock'] }]);
    expect(first.service).toBe('stock');
  });
});

test('errors that began with the first bad object are new, however late the alert', () => {
  const began = -600_000;
  const early = [...quiet, ...lines('stock', 'index 7 is out of range', began, 300)];
  const since = finding('orders', 0.5, 'probe_failure');
  const seen = { ...since, evidence: { ...since.evidence, atMs: TRIGGER_MS + began } };
  expect(rank({ logs: early }, [seen]).typesOf('stock')).toContain('new-error');
});

test('of several strong findings the one that names a cause speaks, and more to show breaks a tie', () => {
  const quota = { ...finding('stock', 0.9, 'quota'), key: 'state:ResourceQuota/stock/QuotaExhausted' };
  const { first } = rank({}, [finding('stock', 0.95, 'unknown'), quota, finding('orders', 0.95, 'unknown')]);
  expect(first).toMatchObject({ service: 'stock', rootCauseType: 'quota' });
});

describe('whom errors speak against', () => {
  const lookup = 'request to stock failed: dial tcp: lookup stock.shop on 10.96.0.10:53: no such host';
  const logs = [...quiet, ...lines('orders', lookup, -60_000, 40)];
  const service = { kind: 'Service', metadata: { name: 'stock', namespace: 'shop' } };

  test('a name that has a Service and is not known all the same is the name server’s fault', () => {
    const { first } = rank({ logs, objects: [service] });
    expect(first).toMatchObject({ service: 'coredns', rootCauseType: 'dns' });
  });

  describe('where others reach whom they call, names that do not resolve', () => {
    const byGateway = (message: string) => {
      const own = lines('gateway', 'handled one more request', -3_600_000, 40, 'info');
      return rank({ logs: [...logs, ...own, ...lines('gateway', message, -60_000, 40)], objects: [service] }).first
        .service;
    };

    test('speak against the only one who cannot resolve them', () => {
      expect(byGateway('request to orders failed: unexpected status 500')).toBe('orders');
      expect(byGateway('request to orders failed: dial tcp 10.0.0.7:80: connect: connection refused')).toBe('orders');
    });

    test('speak against the name server where another cannot either, or does not say whether it could', () => {
      expect(byGateway('request to orders failed: dial tcp: lookup orders: i/o timeout')).toBe('coredns');
      expect(byGateway('request to orders failed')).toBe('coredns');
    });
  });

  test('the name of a Service without an address of its own is lost with its pods', () => {
    const headless = { ...service, spec: { clusterIP: 'None' } };
    expect(rank({ logs, objects: [headless] }).first.service).toBe('stock');
  });

  test('a name without a Service is that of who is called', () => {
    expect(rank({ logs }).first.service).toBe('stock');
  });

  test('lines that only tell with which status a request was answered weigh less than a name', () => {
    const answers = lines('orders', 'POST /orders 503 1402ms', -60_000, 40);
    const naming = lines('orders', 'request to stock failed: i/o timeout', -60_000, 40);
    expect(rank({ logs: [...quiet, ...answers, ...naming] }).first.service).toBe('stock');
  });

  test('the name of an account blames no service', () => {
    const refusal = lines('stock', 'password authentication failed for user "orders"', -60_000, 40);
    expect(rank({ logs: [...quiet, ...refusal] }).first.service).toBe('stock');
  });
});

test('errors that set in ten minutes before the alert are new, though no object tells of it', () => {
  const early = [...quiet, ...lines('stock', 'index 7 is out of range', -600_000, 600)];
  expect(rank({ logs: early }).typesOf('stock')).toContain('new-error');
});

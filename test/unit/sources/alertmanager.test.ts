import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parseNotification } from '../../../src/sources/alertmanager/parse-notification.ts';
import { unquoteReceiver } from '../../../src/sources/alertmanager/receiver-name.ts';
import { parseRfc3339 } from '../../../src/sources/alertmanager/rfc3339.ts';
import { PayloadError } from '../../../src/sources/source.ts';
import { groupBody, groupText, numberedAlert } from '../../support/alertmanager-bodies.ts';

const parseOne = (alert: Parameters<typeof numberedAlert>[1]) =>
  parseNotification(groupBody({ alerts: [numberedAlert(1, alert)] })).alerts[0];

describe('times', () => {
  test.each([
    ['2026-11-03T07:21:45Z', '2026-11-03T07:21:45.000Z'],
    ['2026-11-03T07:21:45.1Z', '2026-11-03T07:21:45.100Z'],
    ['2026-11-03T07:21:45.987654321Z', '2026-11-03T07:21:45.987Z'],
    ['2026-11-03T12:51:45.5+05:30', '2026-11-03T07:21:45.500Z'],
    ['2026-11-02T23:21:45-08:00', '2026-11-03T07:21:45.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(new Date(parseRfc3339(text) ?? NaN).toISOString()).toBe(expected);
  });

  test.each(['0001-01-01T00:00:00Z', '', '2026-13-45T00:00:00Z', 'yesterday', '1764142000', '2026-11-03'])(
    '%j is no time',
    (text) => {
      expect(parseRfc3339(text)).toBeUndefined();
    },
  );

  test('a firing alert has not ended, whether the sender says year 1 or a future time', () => {
    expect(parseOne({})?.endsAtMs).toBeUndefined();
    expect(parseOne({ endsAt: '2031-01-01T00:00:00Z' })?.endsAtMs).toBeUndefined();
    expect(parseOne({ status: 'resolved' })?.endsAtMs).toBe(Date.parse('2026-11-03T07:42:10.500Z'));
  });
});

describe('receiver names', () => {
  test('arrive regexp-quoted and are read as the operator wrote them', () => {
    const names = ['night.shift+page (prod) [eu]', 'monitoring/main/rootnote', 'plain', 'a\\b', '^$*?|{}'];
    for (const name of names) {
      expect(parseNotification(groupBody({ receiver: name, alerts: [numberedAlert(1)] })).receiver).toBe(name);
    }
  });

  test('any name survives quoting and unquoting', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(unquoteReceiver(name.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'))).toBe(name);
      }),
    );
  });
});

describe('odd bodies', () => {
  test('unknown keys are accepted at every level and null stands for missing', () => {
    const body = groupBody({ alerts: [numberedAlert(1)] });
    const odd = {
      ...body,
      notification_reason: 'first notification',
      routeLabels: { team: 'shop' },
      commonAnnotations: null,
      truncatedAlerts: null,
      alerts: [{ ...body.alerts[0], annotations: null, extra: { deep: [1] } }],
    };
    expect(parseNotification(odd)).toMatchObject({ truncatedAlerts: 0, commonAnnotations: {} });
  });

  test('fields that old senders do not have are filled in', () => {
    const [alert] = groupBody({ alerts: [numberedAlert(1)] }).alerts;
    const old = { alerts: [{ labels: alert?.labels, startsAt: alert?.startsAt }], version: '3' };
    const again = parseNotification(structuredClone(old));
    expect(parseNotification(old)).toEqual(again);
    expect(again.alerts[0]).toMatchObject({ status: 'firing', annotations: {} });
    expect(again.alerts[0]?.fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });

  test('a made-up fingerprint depends on the labels and not on their order', () => {
    const withLabels = (labels: Record<string, string>) =>
      parseNotification({ alerts: [{ labels, startsAt: '2026-11-03T07:21:45Z' }] }).alerts[0]?.fingerprint;
    expect(withLabels({ a: '1', b: '2' })).toBe(withLabels({ b: '2', a: '1' }));
    expect(withLabels({ a: '1', b: '2' })).not.toBe(withLabels({ a: '1', b: '3' }));
  });

  test('an alert with no labels at all is read', () => {
    const notification = parseNotification(groupBody({ groupLabels: {}, alerts: [{ labels: {} }] }));
    expect(notification.alerts[0]?.labels).toEqual({});
  });

  test('numbers and booleans become text; what is no scalar is left out', () => {
    const body = { alerts: [{ startsAt: '2026-11-03T07:21:45Z', labels: { a: 1, b: true, c: { d: 1 }, e: null } }] };
    expect(parseNotification(body).alerts[0]?.labels).toEqual({ a: '1', b: 'true' });
  });

  test('a fingerprint of digits only stays text', () => {
    expect(parseOne({ fingerprint: '4411220033556677' })?.fingerprint).toBe('4411220033556677');
  });

  test('text of any script arrives as it was written', () => {
    const labels = { alertname: 'Größe 容量 🧯', quote: '"\\/', empty: '' };
    const body: unknown = JSON.parse(groupText({ alerts: [{ labels, annotations: { summary: 'a <b> & c' } }] }));
    expect(parseNotification(body).alerts[0]).toMatchObject({ labels, annotations: { summary: 'a <b> & c' } });
  });
});

describe('refusals', () => {
  test.each([
    [{ version: '4', status: 'firing' }, /alerts is missing: it must be a list/],
    [{ version: '9', alerts: {} }, /version "9".*alerts must be a list, not a map/],
    [{ alerts: [{ labels: {} }] }, /alerts\[0\]\.startsAt is missing: it must be text/],
    [{ alerts: [{ startsAt: '2026-11-03T07:21:45Z' }, { startsAt: 'soon' }] }, /alerts\[1\]\.startsAt is not/],
    [[], /the body must be a map/],
  ])('%j says where it is wrong', (body, message) => {
    expect(() => parseNotification(body)).toThrow(message);
  });

  test('whatever JSON arrives, the answer is a notification or a PayloadError, and repeats no value of the body', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 4 }), (body) => {
        try {
          parseNotification(body);
        } catch (error) {
          expect(error).toBeInstanceOf(PayloadError);
        }
      }),
    );
    expect(() => parseNotification({ version: '<script>', alerts: 'hunter2' })).toThrow(/^((?!script>|hunter2).)*$/);
  });
});

import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNotification, readOdd } from '../../../src/sources/alertmanager/parse-notification.ts';
import { readUsual } from '../../../src/sources/alertmanager/usual-body.ts';
import { PayloadError } from '../../../src/sources/source.ts';
import { groupBody, groupText, numberedAlert } from '../../support/alertmanager-bodies.ts';
import { describeIfShared, namesIn, sharedFolder } from '../../support/shared-cases.ts';

const outcome = (read: (body: unknown) => unknown, body: unknown): unknown => {
  try {
    return read(body);
  } catch (error) {
    return error instanceof PayloadError ? error.message : error;
  }
};
const expectSame = (body: unknown) => {
  const odd = outcome(readOdd, body);
  expect(outcome(parseNotification, body)).toEqual(odd);
  const usual = readUsual(body);
  if (usual) expect(usual).toEqual(odd);
  return usual !== undefined;
};

const anything = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, undefined, [], {}, 1.5, -1, '', '0001-01-01T00:00:00Z'),
);
const name = fc.oneof(
  fc.string(),
  fc.constantFrom('alertname', 'severity', '__proto__', 'constructor', 'toString', ''),
);
const texts = fc
  .array(fc.tuple(name, fc.string({ unit: 'binary' })), { maxLength: 4 })
  .map((pairs) => `{${pairs.map((pair) => pair.map((text) => JSON.stringify(text)).join(':')).join()}}`)
  .map((json) => JSON.parse(json) as object);
const time = fc.oneof(
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }).map((date) => date.toISOString()),
  fc.constantFrom('2026-11-03T07:21:45.987654321Z', '2026-11-03T12:51:45+05:30', '0001-01-01T00:00:00Z', 'soon'),
);
const status = fc.constantFrom('firing', 'resolved', 'firing', 'resolved', 'FIRING', 'pending');
const alert = fc.record({
  status,
  labels: texts,
  annotations: texts,
  startsAt: time,
  endsAt: time,
  generatorURL: fc.string(),
  fingerprint: fc.string(),
});
const body = fc.record({
  receiver: fc.string(),
  status,
  alerts: fc.array(alert, { maxLength: 3 }),
  groupLabels: texts,
  commonLabels: texts,
  commonAnnotations: texts,
  externalURL: fc.webUrl(),
  version: fc.constantFrom('4', '3'),
  groupKey: fc.string(),
  truncatedAlerts: fc.nat(),
});
type Body = Record<string, unknown> & { readonly alerts: readonly Record<string, unknown>[] };

/** One field, of the body or of its first alert, missing or something else. */
const spoiled = fc
  .tuple(body, fc.boolean(), fc.nat(10), fc.option(anything))
  .map(([whole, isInAlert, index, value]): unknown => {
    const copy = structuredClone(whole) as unknown as Body;
    const target = isInAlert ? (copy.alerts[0] ?? copy) : copy;
    const key = Object.keys(target)[index % Object.keys(target).length] ?? '';
    if (value === null) delete target[key];
    else target[key] = value;
    return copy;
  });

describe('the quick way and the permissive way', () => {
  test('give the same notification for whatever the quick way takes', () => {
    let taken = 0;
    fc.assert(
      fc.property(body, (whole) => {
        taken += Number(expectSame(whole));
      }),
      { numRuns: 1000 },
    );
    expect(taken).toBeGreaterThan(20);
  });

  test('… with any one field missing or of another kind', () => {
    fc.assert(
      fc.property(spoiled, (odd) => void expectSame(odd)),
      { numRuns: 1000 },
    );
    fc.assert(fc.property(fc.anything(), (odd) => void expectSame(odd)));
  });

  test('bodies as Alertmanager sends them go the quick way', () => {
    const bodies = [
      groupText({ alerts: [numberedAlert(1), numberedAlert(2, { status: 'resolved' })] }),
      groupText({ alerts: [], truncatedAlerts: 3 }),
      groupText({
        receiver: 'a.b+c (d)',
        alerts: [numberedAlert(1, { labels: {}, annotations: { text: 'a <b> & ü' } })],
      }),
    ];
    for (const text of bodies) expect(expectSame(JSON.parse(text))).toBe(true);
  });

  test('what the sender adds in newer versions changes nothing', () => {
    const whole = groupBody({ alerts: [numberedAlert(1)] });
    const newer = {
      ...whole,
      notification_reason: 'none',
      routeLabels: { a: 'b' },
      alerts: whole.alerts.map((one) => ({ ...one, extra: 1 })),
    };
    expect(expectSame(newer)).toBe(true);
    expect(readUsual(newer)).toEqual(readUsual(whole));
  });

  test('a label that is named __proto__ is read by the permissive way', () => {
    const text = groupText({ alerts: [numberedAlert(1)] }).replace('"alertname"', '"__proto__"');
    expect(expectSame(JSON.parse(text))).toBe(false);
  });
});

const CAPTURED = 'webhooks/alertmanager';
describeIfShared(CAPTURED)('captured bodies', () => {
  test('read the same both ways', () => {
    const files = namesIn(CAPTURED, /\.json$/);
    const bodies = files.map(
      (file) => JSON.parse(readFileSync(join(sharedFolder(CAPTURED), file), 'utf8')) as { readonly bodyText?: string },
    );
    const quick = bodies.filter(({ bodyText }) => bodyText !== undefined && expectSame(JSON.parse(bodyText)));
    expect(quick.length).toBeGreaterThan(files.length / 2);
  });
});

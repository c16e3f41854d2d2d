import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { secretTexts } from '../../../bench/secret-texts.ts';
import type { Notification } from '../../../src/domain/alert.ts';
import { alertKey, toAdmission } from '../../../src/intake/trim.ts';
import { createRedactor } from '../../../src/policy/redact.ts';
import { parseNotification } from '../../../src/sources/alertmanager/index.ts';

const SECRET = 'q7Xwhunter-99';
const redactor = createRedactor({ secrets: [SECRET], key: 'k' });

test('a secret in an alert’s key or in its link is not stored, and the identity stays the sender’s', () => {
  for (const fingerprint of [SECRET, `${SECRET}${'x'.repeat(300)}`, `${'x'.repeat(190)}${SECRET}`]) {
    const alert = { labels: { alertname: 'Disk' }, startsAt: '2026-11-30T08:00:00Z', fingerprint };
    const externalURL = `https://alerts.example.net/?token=${SECRET}`;
    const admission = toAdmission(parseNotification({ alerts: [alert], externalURL }), redactor);
    expect(JSON.stringify(admission)).not.toContain(SECRET.slice(0, 9));
    expect(admission.header.link).toMatch(/^https:\/\/alerts\.example\.net\/\?token=\[REDACTED:/);
    expect(admission.claims[0]?.key).toBe(alertKey('alertmanager', fingerprint));
  }
});

test('one look at a whole notification keeps what a look at each of its parts would keep', () => {
  const secret = fc.constantFrom(SECRET, ...secretTexts(3, 2).map(({ text }) => text));
  const rare = fc.oneof(
    { weight: 6, arbitrary: fc.constant('') },
    secret,
    fc.constantFrom('\ud800', 'a\u200bb', '\\', '@'),
  );
  const said = fc
    .tuple(fc.constantFrom('disk', 'ñ 5 %', '"a"', 'x'.repeat(1001), ''), rare)
    .map((parts) => parts.join(' '));
  const alert = fc.record({
    status: fc.constantFrom('firing' as const, 'resolved' as const),
    labels: fc.record({ alertname: said, pod: said }),
    annotations: fc.record({ summary: said }),
    startsAtMs: fc.nat(),
    endsAtMs: fc.constant(undefined),
    generatorUrl: fc.option(said, { nil: undefined }),
    fingerprint: said,
  });
  const notification: fc.Arbitrary<Notification> = fc.record({
    source: fc.constant('alertmanager'),
    receiver: said,
    groupKey: said,
    groupLabels: fc.record({ team: said }),
    commonLabels: fc.constant({}),
    commonAnnotations: fc.constant({}),
    externalUrl: fc.option(
      said.map((text) => `https://alerts.example.net/${text}`),
      { nil: undefined },
    ),
    truncatedAlerts: fc.nat(3),
    alerts: fc.array(alert, { maxLength: 4 }),
  });
  const eachPart = { redact: redactor.redact, mayChangeAny: () => true };
  fc.assert(
    fc.property(notification, (received) => {
      expect(toAdmission(received, redactor)).toEqual(toAdmission(received, eachPart));
    }),
    { numRuns: 500 },
  );
});

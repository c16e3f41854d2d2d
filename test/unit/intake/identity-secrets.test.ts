import { expect, test } from '@jest/globals';
import { alertKey, toAdmission } from '../../../src/intake/trim.ts';
import { createRedactor } from '../../../src/policy/redact.ts';
import { parseNotification } from '../../../src/sources/alertmanager/index.ts';

const SECRET = 'q7Xwhunter-99';
const { redact } = createRedactor({ secrets: [SECRET], key: 'k' });

test('a secret in an alert’s key or in its link is not stored, and the identity stays the sender’s', () => {
  for (const fingerprint of [SECRET, `${SECRET}${'x'.repeat(300)}`, `${'x'.repeat(190)}${SECRET}`]) {
    const alert = { labels: { alertname: 'Disk' }, startsAt: '2026-11-30T08:00:00Z', fingerprint };
    const externalURL = `https://alerts.example.net/?token=${SECRET}`;
    const admission = toAdmission(parseNotification({ alerts: [alert], externalURL }), redact);
    expect(JSON.stringify(admission)).not.toContain(SECRET.slice(0, 9));
    expect(admission.header.link).toMatch(/^https:\/\/alerts\.example\.net\/\?token=\[REDACTED:/);
    expect(admission.claims[0]?.key).toBe(alertKey('alertmanager', fingerprint));
  }
});

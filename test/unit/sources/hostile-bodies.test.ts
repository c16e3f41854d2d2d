import { describe, expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { applyMappings } from '../../../src/sources/generic/apply-mapping.ts';
import { Mappings } from '../../../src/sources/generic/mapping.ts';
import { readEvent } from '../../../src/sources/pagerduty/read-event.ts';
import { createSnsSource } from '../../../src/sources/sns/index.ts';

const ITEMS = 20_000;
const many = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));

describe('what stands once in a body and is asked for by each of its alerts', () => {
  test.each<[string, object, object]>([
    ['a list under a title', { title: '$.more[].t' }, { more: many(ITEMS, () => ({ t: null })) }],
    ['tags', { title: 't', labels_from: '$.more' }, { more: many(2000, (n) => `name${n}:v`) }],
    ['links', { title: 't', links_from: '$.more' }, { more: many(ITEMS, (n) => ({ title: `l${n}`, url: 'u' })) }],
    ['a large text', { title: 't', annotations: { all: '$.more' } }, { more: many(ITEMS, (n) => n) }],
  ])('costs a bounded time: %s', (_what, mapping, shared) => {
    const body = { items: many(ITEMS, (n) => ({ t: `alert ${n}` })), ...shared };
    const before = process.cpuUsage();
    const read = () => applyMappings(Mappings.parse({ each: 'items', ...mapping }), { body, headers: {} }, { source: 's', now: () => 0 }); // prettier-ignore
    if ('title' in mapping && mapping.title === 't') {
      const reading = read();
      if (reading.kind !== 'notification') throw new Error(reading.kind);
      const { alerts, truncatedAlerts } = reading.notification;
      expect(alerts.length).toBeGreaterThan(0);
      expect(alerts.length + truncatedAlerts).toBe(ITEMS);
    } else {
      expect(read).toThrow(/title: nothing at/);
    }
    // Each took minutes.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20);
  });

  test('leaves a webhook of 20,000 ordinary alerts whole', () => {
    const body = { team: 'shop', items: many(ITEMS, (n) => ({ t: `a${n}`, tags: ['a:1', 'b:2', 'c:3'], at: 1 })) };
    const mapping = { each: 'items', title: 't', labels: { team: '$.team' }, labels_from: 'tags', dedup_key: 't' };
    const reading = applyMappings(Mappings.parse(mapping), { body, headers: {} }, { source: 's', now: () => 0 });
    expect(reading.kind === 'notification' && reading.notification.alerts.length).toBe(ITEMS);
  });
});

describe('a message of SNS', () => {
  const TopicArn = 'arn:aws:sns:eu-west-1:111122223333:alarms';
  const message = { Type: 'Notification', MessageId: '1', TopicArn, Message: 'x', Timestamp: 't', Signature: 'AAAA', SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/x.pem' }; // prettier-ignore
  const accepts = (SignatureVersion: string, certificate: string) => {
    const mappings = Mappings.parse({ title: 'Message' });
    const { auth } = createSnsSource({ name: 'aws', mappings, topics: [TopicArn], now: () => 0, fetchText: () => Promise.resolve(certificate) }); // prettier-ignore
    if (auth.kind !== 'signature') throw new Error('no signature is asked for');
    return auth.accepts({ headers: {}, bytes: Buffer.from(JSON.stringify({ ...message, SignatureVersion })) });
  };

  test.each(['constructor', 'toString', '__proto__', '3', ''])('of version %j is refused', async (version) => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(await accepts(version, publicKey.export({ type: 'spki', format: 'pem' }).toString())).toBe(false);
  });

  test('that names a key of another kind is refused, not an error', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    expect(await accepts('1', publicKey.export({ type: 'spki', format: 'pem' }).toString())).toBe(false);
  });
});

test('an event of PagerDuty of an endless type fills no log', () => {
  const reading = readEvent({ event_type: 'x'.repeat(1_000_000), occurred_at: null, agent: null, data: null }, { investigateReopened: true, ownIds: [], now: () => 0 }); // prettier-ignore
  expect(reading.kind === 'nothing' && reading.why.length).toBeLessThan(200);
});

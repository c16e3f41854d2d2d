import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Notification } from '../../../src/domain/alert.ts';
import { PAGERDUTY_INCIDENT_LABEL, pagerDutyIncidentId } from '../../../src/domain/pagerduty.ts';
import { singleIncident } from '../../../src/intake/single-incident.ts';
import { createRedactor } from '../../../src/policy/redact.ts';
import { createPagerDutySource } from '../../../src/sources/pagerduty/index.ts';
import { pagerDutyAuth } from '../../../src/sources/pagerduty/signature.ts';
import { PayloadError, type Reading } from '../../../src/sources/source.ts';
import { fixture, RECEIVED_MS } from '../../support/webhook-senders.ts';

const RULES = { secrets: ['s'], investigateReopened: true, ownIds: ['PUROOTNOTE'], now: () => RECEIVED_MS };

function read(
  name: string,
  rules: Partial<typeof RULES> = {},
  headers: Readonly<Record<string, string>> = {},
): Reading {
  return createPagerDutySource({ ...RULES, ...rules }).read({ headers, bytes: fixture(`pagerduty/${name}.json`) });
}

function notificationOf(reading: Reading): Notification {
  if (reading.kind !== 'notification') throw new Error(`read as ${reading.kind}`);
  return reading.notification;
}

/** An event of any type, about the incident of the fixtures or about something else. */
function event(type: string, over: object = {}): Buffer {
  const { event } = JSON.parse(fixture('pagerduty/triggered.json').toString()) as { event: object };
  return Buffer.from(JSON.stringify({ event: { ...event, event_type: type, ...over } }));
}

const TYPES = [
  ...'delegated escalated reassigned priority_updated annotated responder.added responder.replied status_update_published service_updated'.split(
    ' ',
  ),
  ...'unacknowledged incident_type.changed conference_bridge.updated custom_field_values.updated role.assigned task.created task.updated'.split(
    ' ',
  ),
  ...'task.completed action_invocation.created action_invocation.updated action_invocation.terminated workflow.started workflow.completed'.split(
    ' ',
  ),
].map((name) => `incident.${name}`);

describe('what a PagerDuty event means', () => {
  test('triggered is an alert: title, service, severity, link and the id of the incident', () => {
    const notification = notificationOf(read('triggered', {}, { 'x-webhook-id': 'w-1' }));
    expect(notification).toMatchObject({ source: 'pagerduty', groupKey: 'Q2SHOPCART77', deliveryId: 'w-1' });
    expect(notification.alerts).toEqual([
      {
        status: 'firing',
        labels: {
          alertname: 'Cart latency above 2 s',
          service: 'cart',
          severity: 'high',
          urgency: 'high',
          team: 'Shop',
          [PAGERDUTY_INCIDENT_LABEL]: 'Q2SHOPCART77',
        },
        annotations: { incident_key: 'cart/latency', escalation_policy: 'Shop on call' },
        startsAtMs: Date.UTC(2026, 10, 3, 7, 21, 40),
        endsAtMs: undefined,
        generatorUrl: undefined,
        fingerprint: 'Q2SHOPCART77',
      },
    ]);
  });

  test('the incident it becomes has the right title, service, severity and link, and is found by PagerDuty id', () => {
    const incident = singleIncident(notificationOf(read('triggered-priority')), { source: 'pagerduty', scope: 'test' });
    expect(incident).toMatchObject({
      title: 'Cart latency above 2 s',
      service: 'cart',
      severity: 'P1',
      link: 'https://acme.pagerduty.example/incidents/Q2SHOPCART77',
    });
    expect(incident && pagerDutyIncidentId(incident)).toBe('Q2SHOPCART77');
  });

  test('no id of an incident is taken for a secret', () => {
    const { redact } = createRedactor({ secrets: [], key: 'k' });
    for (const id of ['Q2SHOPCART77', 'PT4KHLK', 'Q0R1S2T3U4V5W6', 'Q1ABC2DEF3'])
      expect(redact(JSON.stringify({ [PAGERDUTY_INCIDENT_LABEL]: id }))).toContain(id);
  });

  test('resolved ends whatever is open, whenever that began', () => {
    const [alert] = notificationOf(read('resolved')).alerts;
    expect(alert).toMatchObject({ status: 'resolved', fingerprint: 'Q2SHOPCART77', startsAtReceipt: true });
    expect(alert?.endsAtMs).toBe(Date.UTC(2026, 10, 3, 8, 2, 10));
  });

  test('reopened is a new occurrence, or nothing where the operator says so', () => {
    const [alert] = notificationOf(read('reopened')).alerts;
    expect(alert).toMatchObject({ status: 'firing', startsAtMs: Date.UTC(2026, 10, 3, 8, 30) });
    expect(alert?.annotations['first_opened']).toBe('2026-11-03T07:21:40Z');
    expect(alert).not.toHaveProperty('startsAtReceipt');
    expect(read('reopened', { investigateReopened: false })).toMatchObject({ kind: 'nothing' });
  });

  test('acknowledged says who and when', () => {
    expect(read('acknowledged')).toEqual({
      kind: 'acknowledged',
      acknowledgement: {
        source: 'pagerduty',
        fingerprint: 'Q2SHOPCART77',
        by: 'Alice Adler',
        atMs: Date.UTC(2026, 10, 3, 7, 24),
      },
    });
  });

  test('pagey.ping is a connection test', () => {
    expect(read('ping')).toEqual({ kind: 'nothing', why: expect.stringContaining('connection test') as unknown });
  });

  test.each([...TYPES, 'service.created', 'service.deleted', 'something.new'])('%s is nothing to do', (type) => {
    const source = createPagerDutySource(RULES);
    expect(source.read({ headers: {}, bytes: event(type) }).kind).toBe('nothing');
  });

  test('what our own user or integration did is nothing to do', () => {
    const source = createPagerDutySource(RULES);
    for (const type of ['incident.triggered', 'incident.acknowledged', 'incident.resolved']) {
      const bytes = event(type, { agent: { id: 'PUROOTNOTE', summary: 'Rootnote' } });
      expect(source.read({ headers: {}, bytes })).toMatchObject({ kind: 'nothing', why: `${type} of our own` });
    }
  });

  test.each([
    ['no data', { data: null }],
    ['data of another shape', { data: { type: 'incident', id: 7 } }],
    ['an id that is none', { data: { id: '../users' } }],
  ])('a signed event with %s is answered, and nothing is done', (_, over) => {
    const source = createPagerDutySource(RULES);
    expect(source.read({ headers: {}, bytes: event('incident.triggered', over) }).kind).toBe('nothing');
  });

  test('an incident without title, service and times is an alert all the same', () => {
    const source = createPagerDutySource(RULES);
    const bytes = event('incident.triggered', {
      occurred_at: 'yesterday',
      data: { id: 'Q1', number: 4711, title: '' },
    });
    const [alert] = notificationOf(source.read({ headers: {}, bytes })).alerts;
    expect(alert).toMatchObject({ labels: { alertname: 'PagerDuty incident #4711' }, startsAtMs: RECEIVED_MS });
  });

  test('what is no event is refused', () => {
    const source = createPagerDutySource(RULES);
    expect(() => source.read({ headers: {}, bytes: Buffer.from('{"messages":[]}') })).toThrow(PayloadError);
  });
});

describe('X-PagerDuty-Signature', () => {
  const [current, old] = ['current-secret', 'old-secret'];
  const bytes = fixture('pagerduty/triggered-unicode.json');
  const sign = (secret: string, of: Buffer = bytes) => `v1=${createHmac('sha256', secret).update(of).digest('hex')}`;
  const accepts = (header: string | string[] | undefined, of: Buffer = bytes, secrets = [current]) => {
    const auth = pagerDutyAuth(secrets);
    if (auth.kind !== 'signature') throw new Error('no signature is asked for');
    return auth.accepts({
      headers: header === undefined ? {} : { 'x-pagerduty-signature': header },
      bytes: of,
    });
  };

  test('one match among several entries and secrets is enough', () => {
    expect(accepts(sign(current))).toBe(true);
    expect(accepts(`${sign(old)},${sign(current)}`)).toBe(true);
    expect(accepts(`${sign(current)}, ${sign(old)}`)).toBe(true);
    expect(accepts(` ${sign(old)} `, bytes, [current, old])).toBe(true);
    expect(accepts(`v2=abc,${sign(current)}`)).toBe(true);
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['without its prefix', sign(current).slice(3)],
    ['of another version', sign(current).replace('v1', 'v2')],
    ['too short', sign(current).slice(0, -2)],
    ['too long', `${sign(current)}00`],
    ['no hex', 'v1=' + 'zz'.repeat(32)],
    ['under another secret', sign(old)],
    ['over the text v1: and the body', sign(current, Buffer.concat([Buffer.from('v1:'), bytes]))],
    ['twice', [sign(current), sign(current)]],
  ])('%s: refused, and nothing is thrown', (_, header) => {
    expect(accepts(header)).toBe(false);
  });

  test('case 12: raw UTF-8, escaped and pretty bodies each match their own bytes only', () => {
    const bodies = ['triggered-unicode', 'triggered-escaped', 'triggered-pretty'].map((name) =>
      fixture(`pagerduty/${name}.json`),
    );
    const [title] = bodies.map(
      (body) => (JSON.parse(body.toString()) as { event: { data: { title: string } } }).event.data.title,
    );
    for (const body of bodies) {
      expect(accepts(sign(current, body), body)).toBe(true);
      const others = [
        ...bodies.filter((other) => other !== body),
        Buffer.from(JSON.stringify(JSON.parse(body.toString()))),
      ];
      for (const other of others.filter((other) => !other.equals(body)))
        expect(accepts(sign(current, body), other)).toBe(false);
      const source = createPagerDutySource(RULES);
      const [alert] = notificationOf(source.read({ headers: {}, bytes: body })).alerts;
      expect(alert?.labels['alertname']).toBe(title);
    }
  });

  test('no header is accepted that holds no signature, and none makes it throw', () => {
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (header) => accepts(header) === false));
    fc.assert(
      fc.property(fc.stringMatching(/^(v1=[0-9a-f]{0,80}[, ]{0,2}){0,20}$/), (header) => accepts(header) === false),
    );
  });

  test('a header of a million entries is refused', () => {
    expect(accepts(`${'v1=00,'.repeat(200_000)}${sign(current)}`)).toBe(false);
  });
});

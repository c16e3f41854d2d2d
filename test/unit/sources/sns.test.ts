import { describe, expect, test } from '@jest/globals';
import { IntakeUnavailable } from '../../../src/intake/intake.ts';
import { isSnsUrl } from '../../../src/sources/sns/amazon-url.ts';
import type { Source } from '../../../src/sources/source.ts';
import { allSources, fixture, serveSns, signSns, type Surroundings } from '../../support/webhook-senders.ts';

function topic(surroundings: Surroundings = {}): Source {
  const source = allSources(surroundings).find(({ name }) => name === 'aws');
  if (!source) throw new Error('no topic is configured');
  return source;
}

const message = (name: string) => JSON.parse(fixture(`cloudwatch-sns/${name}.json`).toString()) as object;
const read = (source: Source, body: object) => source.read({ headers: {}, bytes: signSns(body) });

async function accepts(source: Source, bytes: Buffer): Promise<boolean> {
  if (source.auth.kind !== 'signature') throw new Error('no signature is asked for');
  return source.auth.accepts({ headers: {}, bytes });
}

describe('CloudWatch through SNS', () => {
  test('an alarm: name, state, instance, reason and the id of the message', () => {
    const reading = read(topic(), message('alarm'));
    if (reading.kind !== 'notification') throw new Error(reading.kind);
    expect(reading.notification).toMatchObject({ source: 'aws', deliveryId: '5f0d1a6e-0001' });
    expect(reading.notification.alerts).toEqual([
      {
        status: 'firing',
        fingerprint: 'arn:aws:cloudwatch:eu-west-1:111122223333:alarm:cart-db-cpu',
        labels: {
          alertname: 'cart-db-cpu',
          service: 'cart-db-1',
          DBInstanceIdentifier: 'cart-db-1',
          region: 'EU (Ireland)',
          account: '111122223333',
          namespace: 'AWS/RDS',
          metric: 'CPUUtilization',
        },
        annotations: {
          description: 'CPU of the cart database above 90 %',
          reason: 'Threshold Crossed: 3 datapoints were greater than the threshold (90.0).',
          topic: 'arn:aws:sns:eu-west-1:111122223333:alarms',
        },
        startsAtMs: Date.UTC(2026, 10, 3, 7, 21, 40, 512),
        startsAtReceipt: true,
        endsAtMs: undefined,
        generatorUrl: undefined,
      },
    ]);
  });

  test('OK resolves the same alarm, INSUFFICIENT_DATA fires, and a text is an alert by its subject', () => {
    const statusOf = (name: string) => {
      const reading = read(topic(), message(name));
      const [alert] = reading.kind === 'notification' ? reading.notification.alerts : [];
      return [alert?.status, alert?.labels['alertname'], alert?.fingerprint.slice(-11)];
    };
    expect(statusOf('ok')).toEqual(['resolved', 'cart-db-cpu', 'cart-db-cpu']);
    expect(statusOf('insufficient-data')).toEqual(['firing', 'cart-db-cpu', 'cart-db-cpu']);
    expect(statusOf('text').slice(0, 2)).toEqual(['firing', 'Disk full on build-3']);
  });

  test('a subscription is confirmed by one visit to SNS, and only for a topic that is configured', async () => {
    const visited: string[] = [];
    const source = topic({
      fetchText: (url) => {
        visited.push(url);
        return serveSns(url);
      },
    });
    const reading = read(source, message('subscription'));
    if (reading.kind !== 'handshake') throw new Error(reading.kind);
    expect(visited).toEqual([]);
    expect(await reading.run()).toContain('is confirmed');
    expect(visited).toEqual([(message('subscription') as { SubscribeURL: string }).SubscribeURL]);
    const other = { ...message('subscription'), TopicArn: 'arn:aws:sns:eu-west-1:111122223333:others' };
    expect(read(source, other).kind).toBe('nothing');
  });

  test('a subscription that leads elsewhere is refused', () => {
    const elsewhere = { ...message('subscription'), SubscribeURL: 'https://sns.eu-west-1.amazonaws.com.evil.example/' };
    expect(() => read(topic(), elsewhere)).toThrow('SubscribeURL is no https address of SNS');
  });

  test('both versions of the signature are accepted, and every signed field counts', async () => {
    for (const SignatureVersion of ['1', '2'])
      expect(await accepts(topic(), signSns({ ...message('alarm'), SignatureVersion }))).toBe(true);
    const signed = JSON.parse(signSns(message('alarm')).toString()) as object;
    for (const field of ['Message', 'MessageId', 'Subject', 'Timestamp'])
      expect(await accepts(topic(), Buffer.from(JSON.stringify({ ...signed, [field]: 'x' })))).toBe(false);
    for (const over of [{ SignatureVersion: '3' }, { Signature: '' }, { Signature: 'no base64!' }, { Type: 'Other' }])
      expect(await accepts(topic(), Buffer.from(JSON.stringify({ ...signed, ...over })))).toBe(false);
  });

  test('a message older than an hour is refused, before anything is fetched for it', async () => {
    const nowMs = Date.UTC(2026, 10, 3, 9);
    const clock = { now: () => nowMs };
    const sent = (minutesAgo: number) => signSns(message('alarm'), nowMs - minutesAgo * 60_000);
    expect(await accepts(topic(clock), sent(60))).toBe(true);
    // A clock of ours that is behind must not cost an alert: the time is signed.
    expect(await accepts(topic(clock), sent(-90))).toBe(true);
    const source = topic({ ...clock, fetchText: (url) => Promise.reject(new Error(`fetched ${url}`)) });
    expect(await accepts(source, sent(61))).toBe(false);
    const timeless = { ...(JSON.parse(sent(0).toString()) as object), Timestamp: 'soon' };
    expect(await accepts(source, Buffer.from(JSON.stringify(timeless)))).toBe(false);
  });

  test('nothing is fetched for a topic that is not configured, nor from anywhere but SNS', async () => {
    const source = topic({ fetchText: (url) => Promise.reject(new Error(`fetched ${url}`)) });
    const other = { ...message('alarm'), TopicArn: 'arn:aws:sns:eu-west-1:999999999999:alarms' };
    expect(await accepts(source, signSns(other))).toBe(false);
    const elsewhere = { ...message('alarm'), SigningCertURL: 'https://evil.s3.amazonaws.com/cert.pem' };
    expect(await accepts(source, signSns(elsewhere))).toBe(false);
  });

  test('a certificate is fetched once; one that cannot be had makes the sender come again, and is tried again', async () => {
    let isAway = true;
    let fetched = 0;
    const source = topic({
      fetchText: (url) => {
        fetched += 1;
        return isAway ? Promise.reject(new Error('no route')) : serveSns(url);
      },
    });
    const bytes = signSns(message('alarm'));
    await expect(accepts(source, bytes)).rejects.toThrow(IntakeUnavailable);
    isAway = false;
    expect(await accepts(source, bytes)).toBe(true);
    expect(await accepts(source, bytes)).toBe(true);
    expect(fetched).toBe(2);
  });

  test('messages that name one certificate after another do not make us fetch without end', async () => {
    let fetched = 0;
    const source = topic({
      fetchText: () => {
        fetched += 1;
        return new Promise(() => undefined);
      },
    });
    const named = (n: number) =>
      accepts(source, signSns({ ...message('alarm'), SigningCertURL: `https://sns.eu-west-1.amazonaws.com/${n}.pem` }));
    const pending = [1, 2, 3, 4].map((n) => named(n));
    await expect(named(5)).rejects.toThrow(IntakeUnavailable);
    expect([pending.length, fetched]).toEqual([4, 4]);
  });

  test('what is no certificate makes the sender come again', async () => {
    const source = topic({ fetchText: () => Promise.resolve('<html>blocked by a proxy</html>') });
    await expect(accepts(source, signSns(message('alarm')))).rejects.toThrow(IntakeUnavailable);
  });
});

test.each([
  ['https://sns.eu-west-1.amazonaws.com/cert.pem', true],
  ['https://sns.us-gov-west-1.amazonaws.com/cert.pem', true],
  ['https://sns.cn-north-1.amazonaws.com.cn/cert.pem', true],
  ['http://sns.eu-west-1.amazonaws.com/cert.pem', false],
  ['https://sns.eu-west-1.amazonaws.com:8443/cert.pem', false],
  ['https://user@sns.eu-west-1.amazonaws.com/cert.pem', false],
  ['https://evil.s3.amazonaws.com/cert.pem', false],
  ['https://sns.evil.s3.amazonaws.com/cert.pem', false],
  ['https://sns.eu-west-1.amazonaws.com.evil.example/cert.pem', false],
  ['https://evil.example/?https://sns.eu-west-1.amazonaws.com/', false],
  ['https://169.254.169.254/latest/meta-data', false],
  ['https://amazonaws.com/cert.pem', false],
  ['file:///etc/passwd', false],
  ['sns.eu-west-1.amazonaws.com', false],
  ['', false],
])('%s is an address of SNS: %s', (url, expected) => {
  expect(isSnsUrl(url)).toBe(expected);
});

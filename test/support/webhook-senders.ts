import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSourcesFile } from '../../src/sources/generic/settings.ts';
import { createSources } from '../../src/sources/index.ts';
import { signedText, type SnsMessage } from '../../src/sources/sns/envelope.ts';
import type { InboundRequest, Reading, Source } from '../../src/sources/source.ts';
import { groupText, numberedAlert } from './alertmanager-bodies.ts';

/** A body as its sender would send it, and what it is read as. */
export interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: Reading['kind'];
}

export interface Sender {
  /** Of the source, as it is set up below. */
  readonly source: string;
  readonly samples: readonly Sample[];
  /** The request with what proves who sent it. */
  sign(bytes: Buffer, headers?: Readonly<Record<string, string>>): InboundRequest;
}

/** When the webhooks of these tests come in. */
export const RECEIVED_MS = Date.UTC(2026, 10, 3, 7, 22);

const secretOf = (name: string) => ['secret', 'of', name, 'in-a-test'].join('-');
export const PAGERDUTY_SECRETS = [secretOf('pagerduty-new'), secretOf('pagerduty-old')] as const;
export const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:alarms';
const snsKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });

const FURTHER = `
sources:
  - name: backup
    auth: { bearer: [BACKUP_TOKEN, BACKUP_TOKEN_OLD] }
  - name: datadog
    preset: datadog
    auth: { basic: DATADOG_BASIC }
  - name: sentry
    preset: sentry
    auth: { hmac: { secret: SENTRY_SECRET } }
  - name: aws
    preset: cloudwatch-sns
    topics: [${TOPIC}]
  - name: opsgenie
    preset: opsgenie
    auth: { hmac: { header: X-Signature, secret: OPSGENIE_SECRET, encoding: base64, prefix: "sha256=" } }
`;
const ENVIRONMENT: Readonly<Record<string, string>> = {
  BACKUP_TOKEN: secretOf('backup'),
  BACKUP_TOKEN_OLD: secretOf('backup-old'),
  DATADOG_BASIC: `datadog:${secretOf('datadog')}`,
  SENTRY_SECRET: secretOf('sentry'),
  OPSGENIE_SECRET: secretOf('opsgenie'),
};

export const SETTINGS = {
  ALERTMANAGER_BEARER_TOKENS: [secretOf('alertmanager')],
  PAGERDUTY_WEBHOOK_SECRETS: PAGERDUTY_SECRETS,
  PAGERDUTY_OWN_IDS: ['PUROOTNOTE'],
  GRAFANA_WEBHOOK_SECRET: secretOf('grafana'),
  GRAFANA_TIMESTAMP_HEADER: 'X-Grafana-Time',
};

/** What a test may change of the sources' surroundings. */
export interface Surroundings {
  readonly now?: () => number;
  readonly fetchText?: (url: string) => Promise<string>;
}

/** Every source there is, protected as its vendor allows. */
export function allSources({ now = () => RECEIVED_MS, fetchText = serveSns }: Surroundings = {}): readonly Source[] {
  const { senders } = readSourcesFile(FURTHER, 'sources.yaml', (name) => ENVIRONMENT[name]);
  return createSources(SETTINGS, senders, { now, fetchText });
}

/** SNS serves its certificate, and confirms whoever visits. */
export function serveSns(url: string): Promise<string> {
  const pem = snsKeys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return Promise.resolve(url.endsWith('.pem') ? pem : '<ConfirmSubscriptionResponse/>');
}

const hmac = (bytes: Buffer | string, secret: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', secret).update(bytes).digest(encoding);

/** The body with the signature of SNS, as the topic sends it: just now, unless said. */
export function signSns(message: object, sentAtMs = Date.now()): Buffer {
  const sent = { ...message, Timestamp: new Date(sentAtMs).toISOString() } as SnsMessage;
  const algorithm = sent.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  const signature = createSign(algorithm).update(signedText(sent)).sign(snsKeys.privateKey, 'base64');
  return Buffer.from(JSON.stringify({ ...sent, Signature: signature }));
}

export function fixture(path: string): Buffer {
  return readFileSync(join('test/fixtures/webhooks', path));
}

function samples(folder: string, kinds: Readonly<Record<string, Reading['kind']>>): readonly Sample[] {
  return Object.entries(kinds).map(([name, kind]) => ({
    name,
    bytes: fixture(`${folder}/${name}.json`),
    headers: {},
    kind,
  }));
}

const withHeaders = (list: readonly Sample[], headersOf: (sample: Sample) => Sample['headers']) =>
  list.map((sample) => ({ ...sample, headers: headersOf(sample) }));

const alertmanager: Sender = {
  source: 'alertmanager',
  samples: [[numberedAlert(1)], [numberedAlert(1, { status: 'resolved' as const }), numberedAlert(2)], []].map(
    (alerts, index) => ({
      name: `group ${index + 1}`,
      bytes: Buffer.from(groupText({ alerts })),
      headers: {},
      kind: 'notification',
    }),
  ),
  sign: (bytes) => ({ bytes, headers: { authorization: `Bearer ${secretOf('alertmanager')}` } }),
};

const pagerduty: Sender = {
  source: 'pagerduty',
  samples: withHeaders(
    samples('pagerduty', {
      triggered: 'notification',
      'triggered-unicode': 'notification',
      'triggered-escaped': 'notification',
      'triggered-pretty': 'notification',
      'triggered-priority': 'notification',
      resolved: 'notification',
      reopened: 'notification',
      acknowledged: 'acknowledged',
      unacknowledged: 'nothing',
      annotated: 'nothing',
      ping: 'nothing',
      'unknown-type': 'nothing',
    }),
    ({ name }) => ({ 'x-webhook-id': `delivery-of-${name}` }),
  ),
  sign: (bytes, headers = {}) => ({
    bytes,
    headers: { ...headers, 'x-pagerduty-signature': `v1=${hmac(bytes, PAGERDUTY_SECRETS[0])}` },
  }),
};

const grafana: Sender = {
  source: 'grafana',
  samples: samples('grafana', { firing: 'notification', 'no-data': 'notification' }),
  sign: (bytes) => {
    const time = String(Math.floor(RECEIVED_MS / 1000));
    const signed = Buffer.concat([Buffer.from(`${time}:`), bytes]);
    return {
      bytes,
      headers: {
        'x-grafana-time': time,
        'x-grafana-alerting-signature': hmac(signed, SETTINGS.GRAFANA_WEBHOOK_SECRET),
      },
    };
  },
};

const backup: Sender = {
  source: 'backup',
  samples: samples('plain', { firing: 'notification', minimal: 'notification', resolved: 'notification' }),
  sign: (bytes) => ({ bytes, headers: { authorization: `Bearer ${secretOf('backup-old')}` } }),
};

const datadog: Sender = {
  source: 'datadog',
  samples: samples('datadog', { triggered: 'notification', recovered: 'notification' }),
  sign: (bytes) => ({
    bytes,
    headers: { authorization: `Basic ${Buffer.from(ENVIRONMENT['DATADOG_BASIC'] ?? '').toString('base64')}` },
  }),
};

const RESOURCES: Readonly<Record<string, string>> = {
  'metric-alert-critical': 'metric_alert',
  'metric-alert-resolved': 'metric_alert',
  'event-alert': 'event_alert',
  'issue-resolved': 'issue',
  installation: 'installation',
};
const sentry: Sender = {
  source: 'sentry',
  samples: withHeaders(
    samples('sentry', {
      'metric-alert-critical': 'notification',
      'metric-alert-resolved': 'notification',
      'event-alert': 'notification',
      'issue-resolved': 'notification',
      installation: 'nothing',
    }),
    ({ name }) => ({ 'sentry-hook-resource': RESOURCES[name] ?? '' }),
  ),
  sign: (bytes, headers = { 'sentry-hook-resource': 'metric_alert' }) => ({
    bytes,
    headers: { ...headers, 'sentry-hook-signature': hmac(bytes, secretOf('sentry')) },
  }),
};

const aws: Sender = {
  source: 'aws',
  samples: samples('cloudwatch-sns', {
    alarm: 'notification',
    ok: 'notification',
    'insufficient-data': 'notification',
    text: 'notification',
    subscription: 'handshake',
    unsubscribe: 'nothing',
  }).map((sample) => ({ ...sample, bytes: signSns(JSON.parse(sample.bytes.toString()) as object) })),
  // Its signature is in the body.
  sign: (bytes) => ({ bytes, headers: { 'content-type': 'text/plain; charset=UTF-8' } }),
};

const opsgenie: Sender = {
  source: 'opsgenie',
  samples: samples('opsgenie', {
    create: 'notification',
    close: 'notification',
    acknowledge: 'acknowledged',
    'add-note': 'nothing',
  }),
  sign: (bytes) => ({
    bytes,
    headers: { 'x-signature': `sha256=${hmac(bytes, secretOf('opsgenie'), 'base64')}` },
  }),
};

/** One a source of `allSources`, in any order. */
export const SENDERS: readonly Sender[] = [alertmanager, pagerduty, grafana, backup, datadog, sentry, aws, opsgenie];

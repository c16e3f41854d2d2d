import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parseNotification } from '../../src/sources/alertmanager/index.ts';
import { createSources } from '../../src/sources/index.ts';
import { PayloadError, type InboundRequest, type Source } from '../../src/sources/source.ts';
import { describeIfShared, namesIn, sharedFolder } from '../support/shared-cases.ts';
import { allSources, SENDERS, type Sender } from '../support/webhook-senders.ts';

const SOURCES = allSources();

function accepts({ auth }: Source, request: InboundRequest): boolean | Promise<boolean> {
  if (auth.kind === 'open') return true;
  return auth.kind === 'headers' ? auth.accepts(request.headers) : auth.accepts(request);
}

const pairs = SOURCES.map((source) => {
  const sender = SENDERS.find((candidate) => candidate.source === source.name);
  if (!sender) throw new Error(`nobody sends to ${source.name}`);
  return { name: source.name, source, sender };
});

/** The first body that is read as alerts. */
function firstAlert({ samples }: Sender) {
  const sample = samples.find(({ kind }) => kind === 'notification');
  if (!sample) throw new Error('no sample is an alert');
  return sample;
}

describe.each(pairs)('D1: source $name', ({ source, sender }) => {
  test('is reached by a path of plain letters, and protected', () => {
    expect(source.name).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(source.auth.kind).not.toBe('open');
  });

  test.each(sender.samples.map((sample) => [sample.name, sample] as const))(
    '%s is accepted and read',
    async (_, sample) => {
      const request = sender.sign(sample.bytes, sample.headers);
      expect(await accepts(source, request)).toBe(true);
      const reading = source.read(request);
      expect(reading.kind).toBe(sample.kind);
      if (reading.kind === 'handshake') return;
      expect(source.read(request)).toEqual(reading);
      if (reading.kind === 'acknowledged') expect(reading.acknowledgement.source).toBe(source.name);
      if (reading.kind !== 'notification') return;
      expect(reading.notification.source).toBe(source.name);
      for (const alert of reading.notification.alerts) {
        expect(alert.fingerprint).not.toBe('');
        expect(Number.isFinite(alert.startsAtMs)).toBe(true);
        expect(Object.values(alert.labels).every((value) => typeof value === 'string')).toBe(true);
      }
    },
  );

  test.each([null, undefined, 7, 'text', [], {}, { alerts: 'none' }, { alerts: [null] }, { event: 1 }, { title: {} }])(
    'refuses %j with a PayloadError and nothing else',
    (body) => {
      const bytes = Buffer.from(JSON.stringify(body) ?? '');
      expect(() => source.read(sender.sign(bytes))).toThrow(PayloadError);
    },
  );

  test('refuses what is no JSON, or too deep to be one, with a PayloadError', () => {
    for (const text of ['', '{', '\u0000', `{"title": ${'['.repeat(100_000)}`, 'title: text', '\ufeff']) {
      expect(() => source.read(sender.sign(Buffer.from(text)))).toThrow(PayloadError);
    }
  });

  test('whatever is JSON is read or refused with a PayloadError', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        try {
          source.read(sender.sign(Buffer.from(text)));
        } catch (error) {
          expect(error).toBeInstanceOf(PayloadError);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('one field replaced by anything is read or refused with a PayloadError', () => {
    const sample = firstAlert(sender);
    const whole = JSON.parse(sample.bytes.toString()) as Readonly<Record<string, unknown>>;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(whole)), fc.jsonValue({ maxDepth: 3 }), (key, value) => {
        const bytes = Buffer.from(JSON.stringify({ ...whole, [key]: value }));
        try {
          source.read(sender.sign(bytes, sample.headers));
        } catch (error) {
          expect(error).toBeInstanceOf(PayloadError);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('keys such as __proto__ reach no prototype', () => {
    const { bytes, headers } = firstAlert(sender);
    const poison = '"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}';
    const poisoned = Buffer.from(bytes.toString().replaceAll('{', `{${poison},`).replaceAll(',}', '}'));
    try {
      source.read(sender.sign(poisoned, headers));
    } catch (error) {
      expect(error).toBeInstanceOf(PayloadError);
    }
    expect({}).not.toHaveProperty('polluted');
  });

  test('without credentials, or with others, it is refused', async () => {
    const { bytes, headers } = firstAlert(sender);
    const signed = sender.sign(bytes, headers);
    const mangled = (text: string) => `${text.slice(0, -8)}AAAAAAAA`;
    const spoilt = Object.fromEntries(
      Object.entries(signed.headers).map(([name, value]) => [name, mangled(String(value))]),
    );
    const unsigned = Buffer.from(bytes.toString().replace(/"Signature":"[^"]*"/, '"Signature":"AAAA"'));
    expect(await accepts(source, { bytes: unsigned, headers })).toBe(false);
    expect(await accepts(source, { bytes: unsigned, headers: spoilt })).toBe(false);
  });

  test('case 12: a signature holds for its bytes alone', async () => {
    if (source.auth.kind !== 'signature') return;
    const { bytes, headers } = firstAlert(sender);
    const signed = sender.sign(bytes, headers);
    expect(await accepts(source, signed)).toBe(true);
    const changed = [
      Buffer.from(bytes.toString().replace(/cart|db/i, 'shop')),
      Buffer.concat([bytes.subarray(0, bytes.length - 3), Buffer.from('"'), bytes.subarray(bytes.length - 3)]),
    ];
    for (const other of changed) {
      expect(other.equals(bytes)).toBe(false);
      expect(await accepts(source, { ...signed, bytes: other })).toBe(false);
    }
  });
});

describe('D1: a huge alert', () => {
  test.each(pairs)('of $name is read', ({ source, sender }) => {
    const sample = firstAlert(sender);
    const grown = sample.bytes.toString().replace(/cart|CheckoutErrors|Backup/, 'x'.repeat(1_000_000));
    const reading = source.read(sender.sign(Buffer.from(grown), sample.headers));
    expect(reading.kind).toBe('notification');
  });
});

test('names are unique, and without settings there is Alertmanager alone', () => {
  expect(new Set(SOURCES.map(({ name }) => name)).size).toBe(SOURCES.length);
  expect(createSources({}).map(({ name }) => name)).toEqual(['alertmanager']);
});

/** Bodies captured from real senders, when they are at hand. */
function describeCaptured(name: string, folder: string, run: (capture: Capture) => void): void {
  const path = join('webhooks', folder);
  describeIfShared(path)(name, () => {
    test.each(namesIn(path, /\.json$/))('%s', (file) => {
      run(JSON.parse(readFileSync(join(sharedFolder(path), file), 'utf8')) as Capture);
    });
  });
}

interface Capture {
  readonly bodyText: string;
  readonly secret?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signature_valid?: boolean;
}

describeCaptured('captured Alertmanager bodies are read', 'alertmanager', ({ bodyText }) => {
  const body = JSON.parse(bodyText) as { readonly alerts: readonly unknown[] };
  expect(parseNotification(body).alerts).toHaveLength(body.alerts.length);
});

describeCaptured('sample PagerDuty bodies are accepted by their signature and read', 'pagerduty', (capture) => {
  const secrets = capture.secret ? [capture.secret] : ['another'];
  const source = createSources({ PAGERDUTY_WEBHOOK_SECRETS: secrets }).find(({ name }) => name === 'pagerduty');
  if (!source) throw new Error('no PagerDuty source');
  const request = { headers: capture.headers, bytes: Buffer.from(capture.bodyText) };
  expect(accepts(source, request)).toBe(capture.signature_valid);
  expect(['notification', 'nothing', 'acknowledged']).toContain(source.read(request).kind);
});

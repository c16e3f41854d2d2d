import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseNotification } from '../../src/sources/alertmanager/index.ts';
import { createSources } from '../../src/sources/index.ts';
import { PayloadError, type Source } from '../../src/sources/source.ts';
import { groupBody, numberedAlert } from '../support/alertmanager-bodies.ts';

const SOURCES = createSources({});
const request = (body: unknown) => ({ headers: {}, bytes: Buffer.from(JSON.stringify(body) ?? '') });
const read = (source: Source, body: unknown) => source.read(request(body));

/** Readable bodies of every source, keyed by its name. A source without any fails. */
const bodies: Readonly<Record<string, readonly unknown[]>> = {
  alertmanager: [
    groupBody({ alerts: [numberedAlert(1)] }),
    groupBody({ alerts: [numberedAlert(1, { status: 'resolved' }), numberedAlert(2)] }),
    groupBody({ alerts: [] }),
  ],
};

describe.each(SOURCES)('D1: source $name', (source) => {
  test('is reached by a path of plain letters', () => {
    expect(source.name).toMatch(/^[a-z][a-z0-9-]*$/);
  });

  test('reads its bodies into notifications that carry its name and stable fingerprints', () => {
    const readable = bodies[source.name] ?? [];
    expect(readable.length).toBeGreaterThan(0);
    for (const body of readable) {
      const reading = read(source, body);
      if (reading.kind !== 'notification') throw new Error(`read as ${reading.kind}`);
      const { notification } = reading;
      expect(notification.source).toBe(source.name);
      expect(read(source, body)).toEqual(reading);
      for (const alert of notification.alerts) {
        expect(alert.fingerprint).not.toBe('');
        expect(Number.isFinite(alert.startsAtMs)).toBe(true);
      }
    }
  });

  test.each([null, undefined, 7, 'text', [], {}, { alerts: 'none' }, { alerts: [null] }])(
    'refuses %j with a PayloadError and nothing else',
    (body) => {
      expect(() => read(source, body)).toThrow(PayloadError);
    },
  );
});

/** Bodies captured from real senders, when they are at hand: `ROOTNOTE_SHARED`, or the folder beside the checkout. */
const captured = join(process.env['ROOTNOTE_SHARED'] ?? '../shared', 'data/webhooks/alertmanager');
const files = existsSync(captured) ? readdirSync(captured).filter((name) => name.endsWith('.json')) : [];
const name = 'captured Alertmanager bodies';
const suite = files.length > 0 ? describe : describe.skip;

suite(files.length > 0 ? name : `${name} [skipped: there are none here; ROOTNOTE_SHARED names their folder]`, () => {
  // A suite without a test fails, even a skipped one.
  test.each(files.length > 0 ? files : ['none'])('%s is read', (file) => {
    const capture = JSON.parse(readFileSync(join(captured, file), 'utf8')) as { readonly bodyText: string };
    const body = JSON.parse(capture.bodyText) as { readonly alerts: readonly unknown[] };
    expect(parseNotification(body).alerts).toHaveLength(body.alerts.length);
  });
});

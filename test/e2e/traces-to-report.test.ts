import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Report } from '../../src/domain/report.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { runRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';
import { startJaegerImitation } from '../support/trace-servers/jaeger-imitation.ts';
import { startTempoImitation } from '../support/trace-servers/tempo-imitation.ts';
import { requestAlong, type TestSpan } from '../support/trace-servers/test-spans.ts';

const startsAtMs = Date.parse('2026-03-02T10:00:00Z');
const SECOND = 1000;
const PATH = ['web', 'checkout', 'payments', 'ledger-db'];

/** From a minute before the alert on payments takes two seconds by itself, and now and then fails; its database is as quick as ever. */
function request(startMs: number): readonly TestSpan[] {
  const isLate = startMs > startsAtMs - 60 * SECOND;
  const spans = requestAlong({ startMs, path: PATH, durationMs: isLate ? 2100 : 60 });
  const failed = isLate && startMs % (9 * SECOND) === 0;
  return spans.map((span) => {
    const isOfDatabase = span.service === 'ledger-db' || span.name === 'call ledger-db';
    return isOfDatabase ? { ...span, durationUs: 5000 } : { ...span, failed };
  });
}

describe('traces alone, without a model', () => {
  afterAll(() => stopRootnotes());

  test.each([
    { setting: 'TEMPO_URL', start: startTempoImitation },
    { setting: 'JAEGER_URL', start: startJaegerImitation },
  ])(
    '$setting: the report names the service that is slow by itself, not those that wait for it',
    async ({ setting, start }) => {
      const server = await start();
      for (let i = -3300; i < 180; i += 3) await server.load(request(startsAtMs + i * SECOND));
      try {
        const file = join(await temporaryFolder(), 'alert.json');
        const labels = { alertname: 'CheckoutSlow', service: 'checkout' };
        const alert = numberedAlert(1, { labels, startsAt: new Date(startsAtMs).toISOString() });
        await writeFile(file, groupText({ alerts: [alert] }));
        const { stdout } = await runRootnote(['investigate', file, '--offline', '--json'], { [setting]: server.url });
        const report = JSON.parse(stdout) as Report;
        expect(report).toMatchObject({ mode: 'analyst', root_cause_service: 'payments' });
        expect(report.evidence.map(({ statement }) => statement).join('\n')).toMatch(
          /payments's own time in POST \/pay/,
        );
        expect(JSON.stringify(report.gaps)).toMatch(
          /a part of the traces of checkout was read: of each of \d+ stretches/,
        );
      } finally {
        await server.stop();
      }
    },
  );
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseConfig } from '../../src/config/load-config.ts';
import { reportContent } from '../support/delivery-content.ts';
import { context, destinationCases, type DestinationCase } from '../support/destination-cases.ts';
import { describeIfShared, sharedFolder } from '../support/shared-cases.ts';

const CASES = 'webhooks/cases';
const cases = sharedFolder(CASES);

interface Sample {
  readonly title: string;
  readonly root_cause: string;
}

const read = (path: string) => JSON.parse(readFileSync(join(cases, path), 'utf8')) as unknown;

/** Reports that public projects failed on; every stand-in refuses what its vendor refuses, broken characters included. */
describeIfShared(CASES)('shared cases, at every destination', () => {
  let open: readonly DestinationCase[] = [];
  beforeAll(async () => {
    open = await Promise.all(destinationCases.map(([, , start]) => start()));
  });
  afterAll(() => Promise.all(open.map((it) => it.close())));

  test.each(['16-surrogate-cut', '17-jira-summary-255', '18-jira-description-32767'])(
    'case %s: every report is taken',
    async (folder) => {
      const files = readdirSync(join(cases, folder)).filter((name) => name.startsWith('report-'));
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        const { title, root_cause: summary } = read(join(folder, file)) as Sample;
        const { report } = reportContent();
        for (const it of open) {
          const content = reportContent(
            { incident: { ...report.incident, title }, summary },
            { ...it.incident, title },
          );
          const result = await it.destination.deliver(content, context());
          expect([file, it.destination.name, result]).toMatchObject([file, it.destination.name, { outcome: 'ok' }]);
        }
      }
    },
  );

  test('case 19: the bad sender is refused at start, the good one taken', () => {
    const from = (file: string) =>
      (read(join('19-pagerduty-from-header', file)) as { pagerduty: { from: string } }).pagerduty.from;
    const parse = (file: string) => parseConfig({ PAGERDUTY_API_TOKEN: 'test', PAGERDUTY_FROM: from(file) });
    expect(() => parse('config-bad.json')).toThrow(/PAGERDUTY_FROM/);
    expect(parse('config-good.json').PAGERDUTY_FROM).toBe('rca-bot@example.com');
  });
});

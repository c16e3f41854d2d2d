import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { investigateOnce } from '../../src/app/investigate-once.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { Report } from '../../src/domain/report.ts';
import { describeIfShared, namesIn, sharedFolder } from '../support/shared-cases.ts';

/** Recordings of other people's faults, where there are any: `<data set>/<case>/`. They are not part of the project. */
const CASES = 'rca-dev/cases';
const root = sharedFolder(CASES);

describeIfShared(CASES)('recordings of foreign systems', () => {
  test.each(namesIn(CASES))(
    'C8: every case of %s gives a valid report and a brief within the budget',
    async (dataSet) => {
      const cases = readdirSync(join(root, dataSet)).filter((name) => !name.startsWith('_'));
      expect(cases.length).toBeGreaterThan(0);
      const problems: string[] = [];
      for (const name of cases) {
        const problem = await problemWith(join(root, dataSet, name)).catch((error: unknown) => String(error));
        if (problem) problems.push(`${name}: ${problem}`);
      }
      expect(problems).toEqual([]);
    },
    600_000,
  );
});

async function problemWith(recording: string): Promise<string | undefined> {
  const { report } = await investigateOnce(parseConfig({}), {
    recording,
    offline: true,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  const invalid = Report.safeParse(report).error;
  if (invalid) return invalid.message;
  const tokens = report.usage.brief_tokens;
  return tokens > 0 && tokens <= 5820 ? undefined : `brief of ${tokens} tokens`;
}

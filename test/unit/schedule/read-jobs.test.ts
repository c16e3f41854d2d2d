import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readJobs, type Job } from '../../../src/schedule/read-jobs.ts';
import { checkIncident } from '../../../src/schedule/scheduler.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

describe('D5: scheduled checks', () => {
  test('a check is read with its defaults', async () => {
    write(
      'hourly.md',
      '---\ncron: "0 * * * *"\ndescription: Golden signals\nlabels: { namespace: shop }\n---\nLook at errors.',
    );
    const { jobs, broken } = await readJobs(folder);
    expect(broken).toEqual([]);
    expect(jobs).toEqual([
      expect.objectContaining({
        name: 'hourly',
        timezone: 'UTC',
        enabled: true,
        severity: 'info',
        prompt: 'Look at errors.',
      }),
    ]);
  });

  test.each([
    ['six.md', '---\ncron: "0 0 * * * *"\ndescription: x\n---\nbody', /line 2: cron must have five fields/],
    ['wrong.md', '---\ndescription: x\ncron: "99 * * * *"\n---\nbody', /line 3: cron is not a cron expression/],
    [
      'zone.md',
      '---\ncron: "0 * * * *"\ndescription: x\ntimezone: Mars/Base\n---\nbody',
      /line 4: timezone is not an IANA/,
    ],
    [
      'yaml.md',
      '---\ncron: "0 * * * *\ndescription: [\n---\nbody',
      /^line \d+, column \d+: this is no YAML: Missing closing "quote$/,
    ],
    ['alias.md', '---\ncron: *nobody\n---\nbody', /this is no YAML: Unresolved alias/],
    ['empty.md', '---\ncron: "0 * * * *"\ndescription: x\n---\n', /body is empty/],
    ['Upper.md', '---\ncron: "0 * * * *"\ndescription: x\n---\nbody', /file name/],
    [
      'typo.md',
      '---\nseverty: info\ncron: 7\ndescription: x\nlabels: [a]\nseverity: warn\n---\nbody',
      new RegExp(
        '^line 2: severty no such key is known here; did you mean severity\\?; line 3: cron must be text: put it in quotes; ' +
          'line 5: labels must be a map of names and values, not a list; line 6: severity must be info, warning or critical$',
      ),
    ],
  ])('%s is reported with file, line and remedy, and the others still load', async (name, text, problem) => {
    write(name, text);
    write('good.md', '---\ncron: "0 * * * *"\ndescription: x\n---\nbody');
    const { jobs, broken } = await readJobs(folder);
    expect(jobs.map((job) => job.name)).toEqual(['good']);
    expect(broken).toEqual([{ file: join(folder, name), problem: expect.stringMatching(problem) }]);
  });

  test('a missing folder means no checks', async () => {
    expect(await readJobs(join(folder, 'absent'))).toEqual({ jobs: [], broken: [] });
  });

  test('every replica derives the same id from name and tick', () => {
    const job: Job = {
      name: 'hourly',
      cron: '0 * * * *',
      timezone: 'UTC',
      description: 'Golden signals',
      severity: 'info',
      enabled: true,
      labels: { service: 'shop' },
      prompt: 'Look.',
    };
    const early = checkIncident(job, new Date('2026-10-06T14:00:00.012Z'));
    const late = checkIncident(job, new Date('2026-10-06T14:00:00.950Z'));
    expect(early).toEqual(late);
    expect(early.id).toBe('check_hourly_202610061400');
    expect(early).toMatchObject({ kind: 'check', service: 'shop', title: 'Golden signals' });
  });
});

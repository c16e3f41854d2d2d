import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readJobs } from '../../../src/schedule/read-jobs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const GOOD = '---\ncron: "0 * * * *"\ndescription: x\n---\nbody';
/** A check with these lines after its description and cron, the first of them line 4. */
const withLines = (...lines: string[]) =>
  ['---', 'description: x', 'cron: "0 * * * *"', ...lines, '---', 'body'].join('\n');

describe('D5: scheduled checks', () => {
  test('a check is read with its defaults', async () => {
    write('hourly.md', '---\ncron: "0 * * * *"\ndescription: Golden signals\n---\nLook at errors.\n');
    expect(await readJobs(folder)).toEqual({
      jobs: [
        {
          name: 'hourly',
          description: 'Golden signals',
          cron: '0 * * * *',
          timezone: 'UTC',
          severity: 'info',
          enabled: true,
          labels: {},
          skills: [],
          destinations: [],
          post: 'change',
          digest: undefined,
          model: 'when-found',
          budget: {},
          catchUpMinutes: 60,
          probes: [],
          prompt: 'Look at errors.',
        },
      ],
      broken: [],
      incomplete: [],
    });
  });

  test('everything that a check may say is read', async () => {
    write(
      'full.md',
      withLines(
        'timezone: Europe/Berlin',
        'labels: { namespace: shop }',
        'skills: [disk-full]',
        'destinations: [file]',
        'post: digest',
        'digest: "0 9 * * 1"',
        'model: never',
        'budget: { turns: 4, cost_usd: 0.5, minutes: 3 }',
        'catch_up: 15',
        'probes:',
        '  - { name: errors, kind: metric, query: up, below: 1 }',
      ),
    );
    const { jobs } = await readJobs(folder, { skills: ['disk-full'], destinations: ['file'] });
    expect(jobs).toEqual([
      expect.objectContaining({
        timezone: 'Europe/Berlin',
        skills: ['disk-full'],
        destinations: ['file'],
        post: 'digest',
        digest: '0 9 * * 1',
        model: 'never',
        budget: { turns: 4, costUsd: 0.5, minutes: 3 },
        catchUpMinutes: 15,
        probes: [expect.objectContaining({ name: 'errors', kind: 'metric', below: 1 })],
      }),
    ]);
  });

  test('a digest without times is a daily one', async () => {
    write('daily.md', withLines('post: digest'));
    expect((await readJobs(folder)).jobs).toEqual([expect.objectContaining({ digest: '0 8 * * *' })]);
  });

  test.each([
    [
      'six.md',
      GOOD.replace('0 *', '0 0 *'),
      ['2: cron: must have five fields: minute hour day month weekday, such as 0 8 * * 1-5'],
    ],
    ['wrong.md', GOOD.replace('0 *', '99 *'), ['2: cron: is not a cron expression: minute must be 0 to 59']],
    ['feb.md', GOOD.replace('0 * * * *', '0 0 30 2 *'), [/^2: cron: .*in a month that has it$/]],
    ['number.md', GOOD.replace('"0 * * * *"', '7'), [/^2: cron: must be five fields in quotes/]],
    [
      'zone.md',
      withLines('timezone: Europe/Berlni'),
      ['4: timezone: must be an IANA time zone; did you mean Europe/Berlin?'],
    ],
    [
      'yaml.md',
      '---\ncron: "0 * * * *\ndescription: [\n---\nbody',
      [/^\d+:\d+: this is no YAML: Missing closing "quote/],
    ],
    ['alias.md', '---\ncron: *nobody\n---\nbody', [/^2: this is no YAML: Unresolved alias/]],
    ['twice.md', withLines('severity: info', 'severity: warning'), [/^5: this key is there twice: remove one/]],
    ['open.md', GOOD.replace('\n---\nbody', ''), [/^1: there is no front matter: begin with a line ---/]],
    ['bare.md', 'Look at errors.', [/^1: there is no front matter/]],
    [
      'empty.md',
      GOOD.replace('body', ''),
      ['4: the body is empty: say below the front matter what the check looks for'],
    ],
    ['Upper.md', GOOD, ['1: the file name must be lower-case letters, digits and hyphens, at most 64: rename it']],
    ['digest.md', withLines('digest: "0 8 * * *"'), ['4: digest: does nothing without post: digest']],
    [
      'budget.md',
      withLines('budget:', '  turns: 4', '  cost: 1'),
      [/^6: budget.cost: no such key is known here; known are turns, cost_usd, minutes/],
    ],
    ['cost.md', withLines('budget: { cost_usd: 0 }'), ['4: budget.cost_usd: must be an amount above 0, such as 0.5']],
    ['late.md', withLines('catch_up: 5000'), ['4: catch_up: must be at most 1440']],
    [
      'probe.md',
      withLines('probes:', '  - name: errors', '    kind: metrik', '    query: up'),
      [/^6: probes.errors.kind: must be metric, .*; did you mean metric\?$/],
    ],
    [
      'limit.md',
      withLines('probes:', '  - { name: errors, kind: metric, query: up }'),
      ['5: probes.errors.above: needs either above or below'],
    ],
    [
      'probes.md',
      withLines(
        'probes:',
        '  - { name: ends, kind: certificate, hosts: [a.example] }',
        '  - { name: ends, kind: metric, query: up, above: 1, below: 2, over: 15 minutes }',
        '  - { name: full, kind: forecast, query: up, above: 1 }',
        '  - { name: full, kind: metric, above: 1, ovr: 5m }',
      ),
      [
        '5: probes.ends.hosts.#1: must be a map such as { host: db.internal.example, port: 5432 }',
        '6: probes.ends.over: must be a length of time such as 90s, 10m, 6h, 14d or 2w',
        '6: probes.ends.name: is the name of another probe of this check',
        '6: probes.ends.above: needs either above or below',
        '7: probes.full.within: is missing: it must be a length of time such as 90s, 10m, 6h, 14d or 2w',
        /^8: probes.full.ovr: no such key is known here; did you mean over\?$/,
        '8: probes.full.query: needs a query (or, for recordings, series: service/metric)',
        '8: probes.full.name: is the name of another probe of this check',
      ],
    ],
    [
      'years.md',
      withLines('probes:', '  - { name: old, kind: freshness, query: t, older: 53w }'),
      ['5: probes.old.older: is longer than a year'],
    ],
    ['other.markdown', GOOD, ["1: the name of a check's file ends in .md: rename it"]],
    ['other.MD', GOOD, ["1: the name of a check's file ends in .md: rename it"]],
    [
      'many.md',
      '---\nseverty: info\ncron: 7\ndescription: x\nlabels: [a]\nseverity: warn\n---\n',
      [
        '2: severty: no such key is known here; did you mean severity?',
        /^3: cron: /,
        '5: labels: must be a map of names and values, not a list',
        '6: severity: must be info, warning or critical',
        /^7: the body is empty/,
      ],
    ],
  ])('%s is reported with file, line and what to write, and the others still load', async (name, text, wanted) => {
    write(name, text);
    write('good.md', GOOD);
    const { jobs, broken } = await readJobs(folder);
    expect(jobs.map((job) => job.name)).toEqual(['good']);
    const file = join(folder, name);
    expect(broken.map((one) => one.file)).toEqual([file]);
    const mistakes = broken[0]?.mistakes ?? [];
    expect(mistakes.every((mistake) => mistake.startsWith(`${file}:`))).toBe(true);
    expect(mistakes.map((mistake) => mistake.slice(file.length + 1))).toEqual(
      wanted.map((one) => (one instanceof RegExp ? expect.stringMatching(one) : one)),
    );
  });

  test('a file that cannot be read is told as broken and keeps nothing from running', async () => {
    write('good.md', GOOD);
    mkdirSync(join(folder, 'folder.md'));
    write('huge.md', GOOD + ' '.repeat(262_144));
    write('locked.md', GOOD);
    chmodSync(join(folder, 'locked.md'), 0o000);
    const isRoot = process.getuid?.() === 0;
    const { jobs, broken } = await readJobs(folder);
    expect(jobs.map((job) => job.name)).toEqual(isRoot ? ['good', 'locked'] : ['good']);
    const told = broken.flatMap(({ mistakes }) => mistakes.map((mistake) => mistake.slice(folder.length + 1)));
    expect(told).toEqual([
      'folder.md:1: the file is a folder, not a file',
      'huge.md:1: the file is larger than 262144 bytes',
      ...(isRoot ? [] : ['locked.md:1: the file may not be read by this user']),
    ]);
  });

  test('a playbook or destination that is not there is told with its line, and the check runs all the same', async () => {
    write('refers.md', withLines('skills:', '  - disk-full', '  - dsk-full', 'destinations: [slck, file]'));
    const { jobs, broken, incomplete } = await readJobs(folder, {
      skills: ['disk-full', 'image-pull'],
      destinations: ['file', 'webhook'],
    });
    const file = join(folder, 'refers.md');
    expect([jobs.length, broken]).toEqual([1, []]);
    expect(incomplete).toEqual([
      {
        file,
        mistakes: [
          `${file}:6: skills.#2: there is no playbook dsk-full; did you mean disk-full?`,
          `${file}:7: destinations.#1: there is no destination slck: configured are file, webhook`,
        ],
      },
    ]);
    expect((await readJobs(folder)).incomplete).toEqual([]);
  });

  test('a folder that cannot be listed is told as broken, and stops nobody', async () => {
    write('file', '');
    const { broken } = await readJobs(join(folder, 'file'));
    expect(broken).toEqual([
      { file: join(folder, 'file'), mistakes: [expect.stringMatching(/the folder of checks .*: see JOBS_DIR$/)] },
    ]);
  });

  test('a missing folder means no checks', async () => {
    expect(await readJobs(join(folder, 'absent'))).toEqual({ jobs: [], broken: [], incomplete: [] });
  });
});

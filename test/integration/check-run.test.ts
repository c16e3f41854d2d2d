import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Report } from '../../src/domain/report.ts';
import { runRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';

// The command runs in a folder of its own.
const RECORDINGS = resolve('test/fixtures/recordings');
const ENV = { JOBS_DIR: resolve('jobs') };

const run = (...args: string[]) => runRootnote(['check', 'run', ...args, '--offline'], ENV);

afterEach(stopRootnotes);

describe('rootnote check run', () => {
  test('D5: on the recording of an incident it reports, with evidence and the service that causes it', async () => {
    const { code, stdout } = await run('hourly-golden-signals', '--recording', `${RECORDINGS}/payments-pool`, '--json');
    const report = Report.parse(JSON.parse(stdout));
    expect(code).toBe(3);
    expect(report).toMatchObject({ kind: 'check', status: 'determined', root_cause_service: 'payments' });
    expect(report.summary).toMatch(/^payments is the likely root cause .*\. \d findings, /);
    const found = report.check?.findings.map(({ evidence }) => evidence) ?? [];
    const cited = new Set(report.evidence.map(({ id }) => id));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((id) => !cited.has(id))).toEqual([]);
    expect(report.confidence_reasons.filter((reason) => reason.startsWith('Lowered'))).toEqual([]);
  });

  test('D5: on the recording of the demo it names payments, too', async () => {
    const { code, stdout } = await run('hourly-golden-signals', '--recording', resolve('demo/recording'), '--json');
    expect(code).toBe(3);
    expect(Report.parse(JSON.parse(stdout))).toMatchObject({ root_cause_service: 'payments' });
  });

  test('D5: on a healthy recording it stays quiet, and says what it could not look at', async () => {
    const { code, stdout } = await run('hourly-golden-signals', '--recording', `${RECORDINGS}/quiet-shop`, '--json');
    const report = Report.parse(JSON.parse(stdout));
    expect(code).toBe(0);
    expect(report).toMatchObject({ status: 'healthy', evidence: [], usage: { turns: 0, raw_tokens: 0 } });
    expect(report.gaps.join()).toContain('cpu-throttled');
    expect(report.gaps.join()).not.toContain('no model');
  });

  test('it prints each probe with what it saw; the exit code of a run that could not look is 1', async () => {
    const sweep = await run('daily-cluster-sweep', '--recording', `${RECORDINGS}/quiet-shop`);
    expect(sweep.code).toBe(0);
    expect(sweep.stdout).toMatch(/✓ node-not-ready +1 looked at/);
    expect(sweep.stdout).toMatch(/\? job-failed, autoscaler-at-max\n +no answer/);
    const found = await run('daily-cluster-sweep', '--recording', `${RECORDINGS}/payments-pool`);
    expect(found.stdout).toMatch(/✗ workload-unavailable +critical: Deployment shop\/payments: 1 of 2 available/);
    const blind = await run('certificate-expiry', '--recording', `${RECORDINGS}/quiet-shop`);
    expect(blind.code).toBe(1);
    expect(blind.stdout).toContain('Nothing could be looked at');
  });

  test('it says without which playbook and destination it runs, beside the report alone on stdout', async () => {
    const folder = await temporaryFolder();
    const names = 'skills: [no-such-playbook]\ndestinations: [no-such-place]\n';
    const text = `---\ndescription: x\ncron: "0 * * * *"\n${names}---\nLook.\n`;
    await writeFile(join(folder, 'lacking.md'), text);
    for (const name of ['lacking', join(folder, 'lacking.md')]) {
      const args = ['check', 'run', name, '--offline', '--json', '--recording', `${RECORDINGS}/quiet-shop`];
      const { stdout, stderr } = await runRootnote(args, { JOBS_DIR: folder });
      expect(Report.parse(JSON.parse(stdout))).toMatchObject({ kind: 'check' });
      const told = stderr.split('\n').filter((line) => line.includes('runs without it'));
      expect(told).toEqual([
        expect.stringMatching(/^rootnote: runs without it: .*lacking\.md:4: skills\.#1: there is no playbook no-such-/),
        expect.stringMatching(/lacking\.md:5: destinations\.#1: there is no destination no-such-place/),
      ]);
    }
    expect((await run('certificate-expiry', '--recording', `${RECORDINGS}/quiet-shop`)).stderr).not.toContain(
      'without',
    );
  });

  test('a name that is none leads to the nearest; a file of a check may be named itself', async () => {
    const wrong = await run('hourly-golden-signal');
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('did you mean hourly-golden-signals?');
    const byFile = await run(resolve('jobs/certificate-expiry.md'), '--recording', `${RECORDINGS}/quiet-shop`);
    expect(byFile.stdout).toContain('Certificates that expire');
    const none = await run();
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('rootnote check run NAME')]);
  });
});

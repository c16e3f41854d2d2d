import { describe, expect, test } from '@jest/globals';
import { differentTemplates } from './templates.ts';

const behind = (beginning: string, endings: readonly string[]) => endings.map((ending) => `${beginning}: ${ending}`);

describe('what stands behind a colon', () => {
  test.each([
    ['says why, where something failed', 'cannot open archive', ['no such file', 'permission denied', 'disk is full']],
    ['may have values of its own', 'upload failed', ['broker 3 is down', 'no route to zone 7', 'closed by peer']],
    ['may be one word', 'node was lost', ['timeout', 'no heartbeat', 'killed by admin']],
  ])('%s', (_, beginning, reasons) => {
    expect(differentTemplates(behind(beginning, reasons))).toEqual([`${beginning}: <*>`]);
  });

  test('is what happened where only two kinds of it are known', () => {
    expect(differentTemplates(behind('cannot open archive', ['no such file', 'permission denied']))).toHaveLength(2);
  });

  test.each(['the job manager', '[job manager 1]'])('is a sentence of its own behind a mere subject: %s', (subject) => {
    const sentences = ['loading 3 jobs', 'saved the state of job 7', 'nothing to do', 'waiting for 4 workers'];
    expect(differentTemplates(behind(subject, sentences))).toHaveLength(sentences.length);
  });

  test('explains a subject where the same is said of another, but for sentences with values', () => {
    const reasons = ['out of paper', 'lid is open'];
    const lines = [
      ...behind('front desk printer', [...reasons, 'printed 7 pages and went to sleep']),
      ...behind('scanner of the second floor', [...reasons, 'scanned a page in 3 s']),
    ];
    expect(differentTemplates(lines)).toEqual([
      'front desk printer: <*>',
      'front desk printer: printed <*> pages and went to sleep',
      'scanner of the second floor: <*>',
      'scanner of the second floor: scanned a page in <*>',
    ]);
  });
});

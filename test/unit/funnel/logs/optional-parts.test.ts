import { describe, expect, test } from '@jest/globals';
import { differentTemplates } from './templates.ts';

describe('what only some lines have', () => {
  test.each([
    ['a value in brackets', 'sent the file', 'sent the file (12 kB)'],
    ['a value in brackets in the middle', 'lease of 10.0.0.7 renewed', 'lease of 10.0.0.7 (17) renewed'],
    ['a value behind a comma at the end', 'upload failed', 'upload failed, will retry in 3 s'],
    ['a stack trace that was appended', 'job failed', 'job failed at a.b.C.run(C.java:3)'],
    ['a traceback that was appended', 'job failed', 'job failed Traceback (most recent call last): File "a.py"'],
  ])('is an addition: %s', (_, short, long) => {
    expect(differentTemplates([short, long])).toEqual(differentTemplates([short]));
  });

  test.each([
    ['a word in brackets', 'sent the file', 'sent the file (twice)'],
    ['words behind a comma', 'upload failed', 'upload failed, giving up'],
    ['a field behind a comma', 'upload failed', 'upload failed, retry=3'],
    ['a sentence behind a comma', 'upload failed', 'upload failed, so 3 of the other workers will do it now'],
    ['a time of day', 'job failed', 'job failed at noon'],
    ['a place without a call', 'job failed', 'job failed at a.b.C'],
    ['a traceback that is spoken of', 'job failed', 'job failed Traceback written'],
  ])('is another message: %s', (_, short, long) => {
    expect(differentTemplates([short, long])).toHaveLength(2);
  });

  test('what never comes without its addition keeps it', () => {
    expect(differentTemplates(['sent the file (12 kB)', 'sent the file (7 kB)'])).toEqual(['sent the file (<*>)']);
  });
});

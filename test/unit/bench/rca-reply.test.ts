import { expect, test } from '@jest/globals';
import { readReply } from '../../../bench/rca-reply.ts';

const REPLY = { ranked: ['cart'], confidence: 0.5, type: 'dns', briefTokens: 1, rawTokens: 2, cpuMs: 3, ms: 4 };

test('a ranking and a stated error come through as they are', () => {
  expect(readReply(REPLY)).toEqual(REPLY);
  expect(readReply({ error: 'no such folder' })).toEqual({ error: 'no such folder' });
});

test('a reply that cannot be used costs its case, not the run', () => {
  const sent: unknown = JSON.parse(JSON.stringify({ ...REPLY, confidence: Number.NaN }));
  expect(readReply(sent)).toEqual({ error: expect.stringMatching(/^no usable reply: /) });
  expect(readReply(undefined)).toEqual({ error: expect.stringMatching(/^no usable reply: /) });
});

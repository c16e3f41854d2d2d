/** What others test on one Redis, once more on a cluster: every script and every transaction of theirs has its keys in one slot. */
process.env['ROOTNOTE_TEST_REDIS'] = 'cluster';

await import('./sub-agent-queue.test.ts');
await import('./later-work.test.ts');
await import('./incident-memory.test.ts');
await import('../contract/memory.test.ts');

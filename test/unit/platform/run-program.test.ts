import { describe, expect, test } from '@jest/globals';
import { findProgram } from '../../../src/platform/find-program.ts';
import { ProgramError, runProgram } from '../../../src/platform/run-program.ts';

describe('running a program', () => {
  test('returns what it printed', async () => {
    expect(await runProgram('sh', ['-c', 'echo out; echo err >&2'], { timeoutMs: 10_000 })).toBe('out\n');
  });

  test('a failure carries the code and the tail of the error output', async () => {
    const failing = runProgram('sh', ['-c', 'echo why >&2; exit 3'], { timeoutMs: 10_000 });
    await expect(failing).rejects.toThrow(ProgramError);
    await expect(failing).rejects.toThrow(/ended with 3: why/);
  });

  test('one that takes too long is killed, and the error says so', async () => {
    await expect(runProgram('sleep', ['60'], { timeoutMs: 50 })).rejects.toThrow(/took longer than 50 ms/);
  });

  test('an aborted signal ends it', async () => {
    const controller = new AbortController();
    const running = runProgram('sleep', ['60'], { timeoutMs: 60_000, signal: controller.signal });
    controller.abort();
    await expect(running).rejects.toThrow(ProgramError);
  });

  test('a program that does not exist is a ProgramError', async () => {
    await expect(runProgram('no-such-program-here', [], { timeoutMs: 1000 })).rejects.toThrow(ProgramError);
  });
});

describe('finding a program', () => {
  test('is the first name that runs', async () => {
    const found = await findProgram(['no-such-program-here', 'node']);
    expect(found).toEqual({ command: 'node', versionText: process.version });
  });

  test('is undefined when none runs', async () => {
    expect(await findProgram(['no-such-program-here'])).toBeUndefined();
  });
});

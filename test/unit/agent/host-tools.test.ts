import { expect, test } from '@jest/globals';
import type { CommandResult, Toolbox } from '../../../src/agent/toolbox.ts';
import { createTools } from '../../../src/agent/tools/index.ts';
import { ToolFailure, type ToolContext } from '../../../src/agent/tools/tool.ts';

const context = {} as ToolContext;
const never = new AbortController().signal;

function toolOf(name: 'bash' | 'read', box: Partial<Toolbox>) {
  const tool = createTools({ providers: [], ...box }, 'alert').find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}

const answering = (result: CommandResult) => ({ runCommand: () => Promise.resolve(result) });

test('B14: sub-agents get bash and read, and nobody gets them where commands are off', () => {
  const box = {
    providers: [],
    runCommand: () => Promise.reject(new Error()),
    readTextFile: () => Promise.reject(new Error()),
  };
  for (const role of ['alert', 'check', 'sub'] as const) {
    expect(createTools(box, role).map(({ name }) => name)).toEqual(expect.arrayContaining(['read', 'bash']));
    expect(createTools({ providers: [] }, role).map(({ name }) => name)).not.toContain('bash');
  }
});

test('what a command printed can be cited, with the command as its query', async () => {
  const ran = { kind: 'ran', exitCode: 0, stdout: 'sda1 97%\n', stderr: '', cut: '' } as const;
  const data = await toolOf('bash', answering(ran)).run({ command: 'df -h' }, context, never);
  expect(data).toEqual({ kind: 'text', evidence: 'tool', searched: 'bash: df -h', notes: [], text: 'sda1 97%\n' });
});

test('nothing printed is no evidence; exit code, complaints and cuts are told', async () => {
  const ran = {
    kind: 'ran',
    exitCode: 2,
    stdout: '',
    stderr: 'ls: no such file\n',
    cut: 'Cut after 10 bytes.',
  } as const;
  const data = await toolOf('bash', answering(ran)).run({ command: 'ls /x' }, context, never);
  expect(data).not.toHaveProperty('evidence');
  expect(data.notes).toEqual(['Exit code 2.', 'stderr: ls: no such file', 'Cut after 10 bytes.']);
});

test('B17: a refusal is a failure that names class and reason, and is counted as denied', async () => {
  const denied = { kind: 'denied', risk: 'R3', reason: "'rm' is not a program that is known to only read" } as const;
  const running = toolOf('bash', answering(denied)).run({ command: 'rm -rf /' }, context, never);
  await expect(running).rejects.toThrow(ToolFailure);
  await expect(running).rejects.toThrow(/class R3.*'rm'/);
  await expect(running).rejects.toMatchObject({ isDenial: true });
});

test('read asks for the end of a log and the beginning of anything else', async () => {
  const asked: unknown[] = [];
  const tool = toolOf('read', {
    readTextFile: (path, range) => {
      asked.push({ path, ...range });
      return Promise.resolve({ text: 'x', cut: '' });
    },
  });
  for (const input of [
    { path: '/var/log/syslog' },
    { path: '/etc/hosts', lines: 5 },
    { path: '/opt/app/out.log', from_line: 7 },
  ])
    await tool.run(input, context, never);
  expect(asked).toEqual([
    { path: '/var/log/syslog', lines: 200 },
    { path: '/etc/hosts', fromLine: 1, lines: 5 },
    { path: '/opt/app/out.log', fromLine: 7, lines: 200 },
  ]);
});

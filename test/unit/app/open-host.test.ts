import { mkdtemp, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openHost } from '../../../src/app/open-host.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

let root = '';
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'rootnote-host-')));
  for (const folder of ['skills', 'jobs', 'reports', 'state', 'log']) {
    await mkdir(join(root, folder));
    await writeFile(join(root, folder, 'note.md'), 'payments is the root cause\n');
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

function host() {
  const at = (folder: string) => join(root, folder);
  return openHost(
    parseConfig({
      READ_ROOTS: root,
      SKILLS_DIR: at('skills'),
      JOBS_DIR: at('jobs'),
      REPORT_DIR: at('reports'),
      STATE_DIR: at('state'),
    }),
  );
}

test.each(['skills', 'jobs', 'reports', 'state'])(
  'B6: what guides cannot be read as a file, which would be evidence: %s',
  async (folder) => {
    await expect(host().readTextFile?.(join(root, folder, 'note.md'), { lines: 10 })).rejects.toThrow(
      'belongs to Rootnote itself',
    );
  },
);

test.each(['COMMANDS_KUBECONFIG', 'KUBERNETES_KUBECONFIG', 'REDIS_KEY_FILE'])(
  'a file of credentials cannot be read, whatever it is called: %s',
  async (setting) => {
    const file = join(root, 'log', 'note.md');
    const tls = { REDIS_URL: 'rediss://redis:6379', REDIS_CERT_FILE: file };
    const partners = setting === 'REDIS_KEY_FILE' ? tls : {};
    const { readTextFile } = openHost(parseConfig({ READ_ROOTS: root, [setting]: file, ...partners }));
    await expect(readTextFile?.(file, { lines: 10 })).rejects.toThrow('belongs to Rootnote itself');
  },
);

test('other files below the roots can', async () => {
  await expect(host().readTextFile?.(join(root, 'log', 'note.md'), { lines: 10 })).resolves.toMatchObject({
    text: 'payments is the root cause',
  });
});

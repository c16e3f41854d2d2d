import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { fetchDebianProgram, librariesToInstall, type FetchOptions } from '../../../src/platform/debian-package.ts';
import { ProgramError, runProgram } from '../../../src/platform/run-program.ts';

/** Stand-ins for apt-get and dpkg that note how they were called. The "package" holds one shell script. */
const APT_GET = `#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in
  *update*) touch "$LISTS_MADE" ;;
  *--simulate*) [ -e "$LISTS_MADE" ] || { echo "E: Unable to locate package" >&2; exit 100; }; echo "Inst libgreeting1 (1.0)" ;;
  *download*) touch greeter_1.deb libgreeting1_1.deb ;;
esac
`;
const DPKG = `#!/bin/sh
mkdir -p "$3/usr/bin" "$3/usr/lib/x86_64-linux-gnu"
printf '#!/bin/sh\\necho "reads /usr/share/greeter/words in $PWD with $LD_LIBRARY_PATH"\\n' > "$3/usr/bin/greeter"
chmod +x "$3/usr/bin/greeter"
`;

let folder: string;
let options: FetchOptions;
const calls = async () => (await readFile(join(folder, 'calls'), 'utf8').catch(() => '')).trim().split('\n');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rn-debian-'));
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await mkdir(join(folder, 'lists'));
  for (const [name, script] of Object.entries({ 'apt-get': APT_GET, dpkg: DPKG })) {
    await writeFile(join(bin, name), script);
    await chmod(join(bin, name), 0o755);
  }
  options = {
    packages: ['greeter'],
    binary: 'usr/bin/greeter',
    cacheDir: join(folder, 'cache'),
    onProgress: () => undefined,
    systemListsDir: join(folder, 'lists'),
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      CALLS: join(folder, 'calls'),
      LISTS_MADE: join(folder, 'made'),
    },
  };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (launcher: string) => runProgram(launcher, [], { timeoutMs: 10_000 });

describe('fetching a Debian program', () => {
  test('reads lists of its own where the machine has none, and finds its libraries', async () => {
    const launcher = await fetchDebianProgram(options);
    expect(await run(launcher)).toContain(join(folder, 'cache/debian/greeter/files/usr/lib/x86_64-linux-gnu'));
    expect((await calls()).map((call) => /update|--simulate|download/.exec(call)?.[0])).toEqual([
      'update',
      '--simulate',
      'download',
    ]);
    expect((await calls()).at(-1)).toMatch(/download greeter libgreeting1$/);
  });

  test('is done once: the second call asks neither apt nor dpkg', async () => {
    const first = await fetchDebianProgram(options);
    const before = await calls();
    expect(await fetchDebianProgram(options)).toBe(first);
    expect(await calls()).toEqual(before);
  });

  test('a cached copy that does not run here is replaced', async () => {
    const launcher = await fetchDebianProgram(options);
    await writeFile(join(folder, 'cache/debian/greeter/files/usr/bin/greeter'), '#!/bin/sh\nexit 1\n');
    expect(await run(await fetchDebianProgram(options))).toContain('reads');
    expect(launcher).toContain('greeter');
  });

  test('two at once both get a program that runs, and nothing else stays in the cache', async () => {
    const both = await Promise.all([fetchDebianProgram(options), fetchDebianProgram(options)]);
    expect(both[0]).toBe(both[1]);
    expect(await run(both[0])).toContain('reads');
    expect(await readdir(join(folder, 'cache/debian'))).toEqual(['greeter']);
  });

  test('a data folder compiled into the binary is looked for in the copy', async () => {
    const launcher = await fetchDebianProgram({ ...options, dataFolder: '/usr/share/greeter' });
    expect(await run(launcher)).toContain(
      `reads usr/share//greeter/words in ${join(folder, 'cache/debian/greeter/files')}`,
    );
  });

  test('without apt the error says so and the cache stays clean', async () => {
    const empty = { ...options, env: { PATH: join(folder, 'lists') } };
    await expect(fetchDebianProgram(empty)).rejects.toThrow(ProgramError);
    expect(await readdir(join(folder, 'cache/debian'))).toEqual([]);
  });
});

test('of what apt would install, the libraries are taken and libc, web assets and scripts are not', () => {
  const plan = [
    'Inst libjemalloc2 (5.3.0-1 Debian:12 [amd64])',
    'Inst libc6 [2.36-8] (2.36-9 Debian:12 [amd64])',
    'Inst libjs-jquery (3.6 Debian:12 [all])',
    'Inst lua-cjson (2.1 Debian:12 [amd64])',
    'Inst adduser (3.1 Debian:12 [all])',
    'Conf liblzf1 (3.6 Debian:12 [amd64])',
  ].join('\n');
  expect(librariesToInstall(plan)).toEqual(['libjemalloc2', 'lua-cjson']);
});

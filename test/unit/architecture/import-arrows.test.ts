import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, expect, test } from '@jest/globals';

/** Rooms by layer, outermost first. A room imports from layers further in; within a layer only where `siblings` says so. */
const layers: readonly (readonly string[])[] = [
  ['main'],
  ['app'],
  [
    'http',
    'queue',
    'schedule',
    'checks',
    'sources',
    'providers',
    'destinations',
    'llm',
    'mcp',
    'memory',
    'skills',
    'commands',
    'sessions',
    'platform',
    'config',
  ],
  ['investigate', 'intake'],
  ['funnel', 'agent', 'policy'],
  ['domain'],
];

/** Arrows inside a layer, each with its reason. */
const siblings: Readonly<Record<string, readonly string[]>> = {
  // platform is the adapters' toolbox: Redis connections, logger, metrics, bounded HTTP.
  http: ['platform', 'sources'],
  queue: ['platform', 'sessions'],
  schedule: ['platform'],
  // A recording holds the body of a webhook: the same parser reads both.
  providers: ['platform', 'sources', 'config'],
  destinations: ['platform', 'config'],
  llm: ['platform'],
  mcp: ['platform'],
  memory: ['platform'],
  skills: ['platform'],
  commands: ['platform'],
  sessions: ['platform'],
  sources: ['platform'],
  // The agent's log tool groups lines as the funnel does, and both clean untrusted text the same way.
  agent: ['funnel', 'policy'],
  funnel: ['policy'],
};

const pure = ['domain', 'funnel', 'policy', 'agent'];
const sourceFiles = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

const roomOf = (file: string): string => {
  const first = file.split(sep)[0] ?? '';
  return first.endsWith('.ts') ? first.slice(0, -3) : first;
};
const layerOf = (room: string): number => layers.findIndex((layer) => layer.includes(room));

function importsOf(file: string, root = 'src'): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const specifier = /^(?:import|export)\s(?:[^;'"`]*\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...text.matchAll(specifier)].map((match) => match[1] ?? match[2] ?? '');
}

describe('import arrows (docs/architecture.md)', () => {
  test('every folder of src is a known room', () => {
    expect([...new Set(sourceFiles.map(roomOf))].filter((room) => layerOf(room) < 0)).toEqual([]);
  });

  test('rooms import only from further in', () => {
    const wrong = sourceFiles.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .flatMap((specifier) => {
          const from = roomOf(file);
          const to = roomOf(normalize(join(dirname(file), specifier)));
          const allowed = from === to || layerOf(to) > layerOf(from) || siblings[from]?.includes(to);
          return allowed ? [] : [`${file} → ${specifier}`];
        }),
    );
    expect(wrong).toEqual([]);
  });

  test('domain, funnel, policy and agent know no I/O, no SDK and no environment', () => {
    // node:module: the tokenizer's tables are loaded when the first text is counted.
    const libraries = new Set(['zod', 'gpt-tokenizer', 'p-limit', 'unbash', 'node:crypto', 'node:util', 'node:module']);
    const wrong = sourceFiles
      .filter((file) => pure.includes(roomOf(file)))
      .flatMap((file) =>
        importsOf(file)
          .filter(
            (specifier) =>
              !specifier.startsWith('.') && !libraries.has(specifier.replace(/^(gpt-tokenizer)\/.*/, '$1')),
          )
          .map((specifier) => `${file} → ${specifier}`),
      );
    expect(wrong).toEqual([]);
  });

  test('domain, funnel and policy read no clock and no randomness', () => {
    const wrong = sourceFiles
      .filter((file) => ['domain', 'funnel', 'policy'].includes(roomOf(file)))
      .filter((file) =>
        /Date\.now\(|new Date\(\)|performance\.now\(|Math\.random\(/.test(readFileSync(join('src', file), 'utf8')),
      );
    expect(wrong).toEqual([]);
  });

  test('only config reads the environment', () => {
    const wrong = sourceFiles
      .filter((file) => roomOf(file) !== 'config')
      .filter((file) => /process\.env\b/.test(readFileSync(join('src', file), 'utf8')));
    expect(wrong).toEqual([]);
  });

  test('what is built imports only what the build keeps', () => {
    const kept = /^(src|bench|demo|test\/support)\//;
    const wrong = ['src', 'bench', 'demo', 'test/support'].flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) =>
          importsOf(file, root)
            .filter((specifier) => specifier.startsWith('.'))
            .filter((specifier) => !kept.test(normalize(join(root, dirname(file), specifier)).replaceAll(sep, '/')))
            .map((specifier) => `${root}/${file} → ${specifier}`),
        ),
    );
    expect(wrong).toEqual([]);
  });

  test('every room opens with a README', () => {
    const rooms = [...new Set(sourceFiles.map(roomOf))].filter((room) => room !== 'main');
    const missing = rooms.filter((room) => !readdirSync(join('src', room)).includes('README.md'));
    expect(missing).toEqual([]);
  });
});

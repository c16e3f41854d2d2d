import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../src/config/load-config.ts';
import { createProviders } from '../../../src/providers/index.ts';

const create = (environment: Record<string, string>) => createProviders(parseConfig(environment));
const PROMETHEUS_URL = 'http://127.0.0.1:1';

describe('the providers that settings switch on', () => {
  let dir: string;
  const file = async (name: string, content: string) => {
    await writeFile(join(dir, name), content);
    return join(dir, name);
  };
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'rn-providers-'));
  });
  afterAll(() => rm(dir, { recursive: true }));

  test('none without settings', () => expect(create({})).toEqual([]));

  test('each by its own setting, in the order of the list', async () => {
    const TOPOLOGY_FILE = await file('topology.json', '{"edges": [{"from": "a", "to": "b"}]}');
    const QUERIES_FILE = await file('queries.yaml', 'groups: []');
    expect(create({ PROMETHEUS_URL, TOPOLOGY_FILE, QUERIES_FILE }).map((provider) => provider.name)).toEqual([
      'prometheus',
      'topology',
    ]);
  });

  test.each([
    ['TOPOLOGY_FILE', '[]', /TOPOLOGY_FILE: .*topology\.txt cannot be used: not of the form/],
    ['TOPOLOGY_FILE', '{', /TOPOLOGY_FILE: .* cannot be used: .*JSON/],
    ['QUERIES_FILE', 'groups: 1', /QUERIES_FILE: .*:1: groups: /],
    ['PROMETHEUS_CA_FILE', 'hello', /PROMETHEUS_CA_FILE: .* it holds no PEM certificate/],
  ])('%s holding %j is refused with variable and file', async (variable, content, expected) => {
    const path = await file('topology.txt', content);
    expect(() => create({ PROMETHEUS_URL, [variable]: path })).toThrow(expected);
  });

  test.each(['TOPOLOGY_FILE', 'QUERIES_FILE', 'PROMETHEUS_CA_FILE'])(
    '%s that does not exist is refused',
    (variable) => {
      expect(() => create({ PROMETHEUS_URL, [variable]: join(dir, 'missing') })).toThrow(
        `${variable}: ${join(dir, 'missing')} is not there`,
      );
    },
  );

  test('one that cannot be made is told with all that is wrong, and hides no other', async () => {
    const TOPOLOGY_FILE = await file('topology.json', '{"edges": [{"from": "a", "to": "b"}]}');
    const PROMETHEUS_CA_FILE = await file('ca.pem', 'no certificate');
    const QUERIES_FILE = await file('broken.yaml', 'groups:\n  - name: mine\n    whn: {}\n');
    const told: string[] = [];
    const settings = parseConfig({ PROMETHEUS_URL, PROMETHEUS_CA_FILE, TOPOLOGY_FILE, QUERIES_FILE });
    const made = createProviders(settings, (mistakes) => void told.push(...mistakes));
    expect(made.map(({ name }) => name)).toEqual(['topology']);
    expect(told).toEqual([
      `PROMETHEUS_CA_FILE: ${PROMETHEUS_CA_FILE} cannot be used: it holds no PEM certificate`,
      `QUERIES_FILE: ${QUERIES_FILE}:2: groups.mine.when: is missing: it must be a map of keys and values`,
      `QUERIES_FILE: ${QUERIES_FILE}:2: groups.mine.queries: is missing: it must be a list`,
      `QUERIES_FILE: ${QUERIES_FILE}:3: groups.mine.whn: no such key is known here; did you mean when?`,
    ]);
  });

  test('a header without a name is refused without showing it', () => {
    expect(() => create({ PROMETHEUS_URL, PROMETHEUS_HEADERS: 'hunter2' })).toThrow(
      /PROMETHEUS_HEADERS: must be Name=value, comma separated\n(?!.*hunter2)/,
    );
  });
});

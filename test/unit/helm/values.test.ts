import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { chartSettings } from '../../../src/config/chart-settings.ts';
import { Config } from '../../../src/config/schema.ts';
import { HARDENED } from '../../support/helm/cases.ts';
import { CHART, describeWithHelm, notesOf, refusal, type Values } from '../../support/helm/chart.ts';

const read = (file: string) => readFileSync(`${CHART}/${file}`, 'utf8');
const schema = JSON.parse(read('values.schema.json')) as Schema;

interface Schema {
  readonly type?: unknown;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** Values that are refused, and a part of what is said. */
const WRONG: Readonly<Record<string, readonly [Values, string]>> = {
  'a mode that is none': [{ mode: 'both' }, "at '/mode': value must be one of 'all', 'split'"],
  'a misspelt value': [{ replicas: 2 }, "additional properties 'replicas' not allowed"],
  'a misspelt value within': [{ work: { replica: 2 } }, "at '/work': additional properties 'replica' not allowed"],
  'a text for a number': [{ all: { replicas: '2' } }, "at '/all/replicas': got string, want integer"],
  'fewer than no replicas': [{ serve: { replicas: -1 } }, "at '/serve/replicas': minimum: got -1, want 0"],
  'a text for a flag': [{ ingress: { enabled: 'yes' } }, "at '/ingress/enabled': got string, want boolean"],
  'a misspelt setting': [
    { settings: { SLACK_CHANEL: 'C1' } },
    "at '/settings': additional properties 'SLACK_CHANEL' not allowed",
  ],
  'a secret': [{ settings: { SLACK_BOT_TOKEN: 'xoxb-1' } }, '(a secret: put it into existingSecret)'],
  'a setting of the chart': [{ settings: { PORT: 9000 } }, '(not here: set by the chart: 8080, behind service.port)'],
  'a setting out of range': [{ settings: { WORKER_CONCURRENCY: 5000 } }, 'maximum: got 5,000, want 1,000'],
  'a setting that is no number': [{ settings: { WORKER_CONCURRENCY: 'abc' } }, "at '/settings/WORKER_CONCURRENCY'"],
  'a setting that is no choice': [
    { settings: { LOG_LEVEL: 'loud' } },
    "at '/settings/LOG_LEVEL': value must be one of 'fatal'",
  ],
  'a URL with a password': [{ settings: { PROMETHEUS_URL: 'http://me:secret@prom' } }, "at '/settings/PROMETHEUS_URL'"],
  'memory that is no quantity': [
    { all: { resources: { limits: { memory: '3 GB' } } } },
    "at '/all/resources/limits/memory'",
  ],
  'a port that is none': [{ service: { port: 70_000 } }, 'maximum: got 70,000, want 65,535'],
  'a Sentinel without a port': [
    { redis: { external: { sentinels: ['redis-a'] } } },
    "at '/redis/external/sentinels/0'",
  ],
  'a name that is none': [{ existingSecret: 'My Secret' }, "at '/existingSecret': 'My Secret' does not match pattern"],
  'a playbook that is no Markdown': [{ skills: { files: { 'a.txt': 'a' } } }, "invalid propertyName 'a.txt'"],
  'a Redis that evicts': [{ redis: { bundled: { maxMemory: '0' } } }, "at '/redis/bundled/maxMemory'"],
  'a Redis larger than its container': [
    { redis: { bundled: { maxMemory: '2gb' } } },
    'redis.bundled.maxMemory: 2gb does not fit into redis.bundled.resources.limits.memory, 1Gi',
  ],
  'replicas of a role that is not there': [
    { work: { replicas: 3 } },
    'work: is set, and mode all has no such role; it has all',
  ],
  'a Secret of a role that is not there': [{ serve: { existingSecret: 'mine' } }, 'serve: is set, and mode all'],
  'replicas of all with roles': [
    { mode: 'split', all: { replicas: 3 } },
    'all: is set, and mode split has no such role; it has serve, work, schedule',
  ],
  'a check without a head': [{ jobs: { files: { 'bad.md': 'foo' } } }, 'jobs.files: bad.md has to begin with ---'],
  'a check without a time': [
    { jobs: { files: { 'bad.md': '---\ndescription: Look\n---\nLook.\n' } } },
    'jobs.files: bad.md has no cron',
  ],
  'a check whose head is no YAML': [
    { jobs: { files: { 'bad.md': '---\ncron: "0 * * * *\n---\n' } } },
    'jobs.files: bad.md between its lines --- is no YAML',
  ],
  'two ways to Redis': [
    { redis: { mode: 'external', external: { url: 'redis://r', sentinels: ['a:1'], sentinelMaster: 'm' } } },
    'redis.external: url and sentinels are set; one of them leads to Redis',
  ],
  'no way to Redis': [
    { existingSecret: '', settings: { ALLOW_UNAUTHENTICATED: true }, redis: { mode: 'external' } },
    'redis.external: set url, sentinels or clusterNodes',
  ],
  'a master without Sentinels': [
    { redis: { mode: 'external', external: { sentinelMaster: 'main' } } },
    'redis.external.sentinels: are needed',
  ],
  'a password in the URL of Redis': [
    { redis: { mode: 'external', external: { url: 'redis://:pw@r' } } },
    'The password is REDIS_PASSWORD in existingSecret',
  ],
  'half a client certificate': [
    { redis: { mode: 'external', external: { url: 'rediss://r', tls: { certKey: 'tls.crt' } } } },
    'belong together',
  ],
  'a Redis elsewhere that nothing leads to': [
    { redis: { external: { url: 'redis://r' } } },
    'redis.external: is not read while redis.mode is bundled; set redis.mode=external',
  ],
  'a certificate for a Redis elsewhere that nothing leads to': [
    { redis: { external: { tls: { existingSecret: 'redis-tls' } } } },
    'redis.external: is not read',
  ],
  'two autoscalers': [
    { all: { autoscaling: { enabled: true }, keda: { enabled: true, prometheusUrl: 'http://p' } } },
    'work against each other',
  ],
  'KEDA without a Prometheus': [{ work: { keda: { enabled: true } } }, 'work.keda.prometheusUrl: is needed'],
  'a runbook that no link leads to': [
    { metrics: { rules: { runbook: 'docs/operations.md' } } },
    "at '/metrics/rules/runbook'",
  ],
  'two monitors': [{ metrics: { serviceMonitor: { enabled: true }, podMonitor: { enabled: true } } }, 'scraped twice'],
  'a network policy that lets everybody in': [{ networkPolicy: { enabled: true } }, 'networkPolicy.from: is empty'],
  'an ingress without a host': [{ ingress: { enabled: true } }, 'ingress.hosts: is empty'],
  'rights for every pod': [{ serviceAccount: { create: false } }, 'serviceAccount.name: is needed'],
  'a file from two places': [
    { routes: { content: 'default: []', existingConfigMap: 'mine' } },
    'routes: existingConfigMap and a text of your own',
  ],
  'no credentials': [{ existingSecret: '' }, 'kubectl create secret generic'],
  'no password for Redis': [{ existingSecret: '', settings: { ALLOW_UNAUTHENTICATED: true } }, 'key REDIS_PASSWORD'],
};

describeWithHelm('wrong values', () => {
  test.each(Object.entries(WRONG))('%s: refused, in words', (_name, [values, words]) => {
    expect(refusal(values)).toContain(words);
  });

  test('everything that is wrong is told at once', () => {
    const said = refusal({
      redis: { mode: 'external', external: { sentinelMaster: 'main' } },
      ingress: { enabled: true },
      work: { keda: { enabled: true } },
    });
    for (const words of ['redis.external.sentinels', 'ingress.hosts', 'prometheusUrl']) expect(said).toContain(words);
  });

  test('a notice warns of what works and is not what most people want', () => {
    expect(notesOf({ redis: { bundled: { persistence: { enabled: false } } } })).toContain(
      'a restart of Redis loses every alert and report',
    );
    expect(notesOf({})).toContain('kubernetes.rbac.configMaps is false');
    expect(notesOf(HARDENED)).toContain('a Secret of their own, rootnote-receiver');
    expect(notesOf({ settings: { PROMETHEUS_URL: 'http://prometheus:9090' } })).not.toContain(
      'reports will hold no metrics',
    );
  });
});

describeWithHelm('values that are right', () => {
  test('memory as people write it, for the server and for its container', () => {
    const bundled = (maxMemory: string, memory: unknown) => ({
      redis: { bundled: { maxMemory, resources: { limits: { memory } } } },
    });
    for (const [maxMemory, memory] of [
      ['1gb', '1.5Gi'],
      ['900mb', '1G'],
      ['900mb', 1_000_000_000],
    ] as const) {
      expect(refusal(bundled(maxMemory, memory))).toBe('');
      expect(notesOf(bundled(maxMemory, memory))).toContain('more than half of the memory limit');
    }
    expect(notesOf({})).not.toContain('more than half');
    expect(refusal({ redis: { bundled: { maxMemory: '2gb', resources: { limits: null } } } })).toBe('');
  });

  test('numbers as text, and an empty text, which counts as unset', () => {
    expect(refusal({ settings: { WORKER_CONCURRENCY: '5', OTEL_TRACES_SAMPLER_ARG: '0.25', MAX_SPANS: '' } })).toBe('');
  });

  test('every shipped check is taken, and told to be off until it is switched on', () => {
    const files = Object.fromEntries(
      readdirSync('jobs')
        .filter((file) => file !== 'README.md')
        .map((file) => [file, readFileSync(`jobs/${file}`, 'utf8')]),
    );
    const notes = notesOf({ jobs: { files } });
    for (const file of Object.keys(files)) expect(notes).toContain(`${file} has enabled: false, so it does not run`);
    const on = Object.fromEntries(
      Object.entries(files).map(([file, text]) => [file, `\uFEFF${text.replace('enabled: false', 'enabled: true')}`]),
    );
    expect(notesOf({ jobs: { files: on } })).not.toContain('enabled: false');
  });
});

describe('what stands beside the chart', () => {
  test('the schema knows every setting, and what it takes (npm run docs)', () => {
    expect(schema.properties?.['settings']?.properties).toEqual(chartSettings());
    expect(Object.keys(chartSettings())).toEqual(Object.keys(Config.shape));
  });

  test('README.md has the table of values.yaml (npm run docs)', async () => {
    const script = new URL('../../../scripts/chart-values-table.mjs', import.meta.url).href;
    const { valuesTable } = (await import(script)) as { readonly valuesTable: (yaml: string) => string };
    expect(read('README.md')).toContain(valuesTable(read('values.yaml')));
    expect(() => valuesTable('a:\n  # -- Known.\n  b: 1\n  c: 2\n')).toThrow('a.c has no comment');
  });

  test('the schema is strict wherever the chart owns the names', () => {
    expect(openPlaces(schema, '')).toEqual([]);
    for (const [name, definition] of Object.entries(schema.$defs ?? {}))
      if (definition.properties) expect(openPlaces(definition, name)).toEqual([]);
  });

  test('every value is in the schema, and every name of the schema has a value', () => {
    const values = parse(read('values.yaml')) as Values;
    const ofOthers = ['global', 'enabled'];
    const known = Object.keys(schema.properties ?? {}).filter((name) => !ofOthers.includes(name));
    expect(known.toSorted()).toEqual(Object.keys(values).toSorted());
  });

  test('chart, application and package have one version', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });
});

/** Maps that take any name although the chart knows all of theirs. */
function openPlaces({ properties = {}, additionalProperties }: Schema, path: string): readonly string[] {
  const here = additionalProperties === false ? [] : [path];
  const below = Object.entries(properties).flatMap(([name, child]) =>
    child.properties ? openPlaces(child, `${path}/${name}`) : [],
  );
  return [...here, ...below];
}

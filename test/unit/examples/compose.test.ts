import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { openRouting } from '../../../src/app/open-routing.ts';
import { Config } from '../../../src/config/schema.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { readJobs } from '../../../src/schedule/read-jobs.ts';

interface Service {
  readonly build?: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly environment: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** As Compose reads it with these variables in `.env`. Those that have no default stay as they stand. */
function composeWith(variables: Readonly<Record<string, string>>): Compose {
  const text = readFileSync('docker-compose.yml', 'utf8');
  const read = text.replace(/\$\{(\w+):-([^}]*)\}/g, (_all, name: string, usual: string) => variables[name] || usual);
  return parse(read) as Compose;
}

const compose = composeWith({});
const services = Object.entries(compose.services).map(([name, service]) => ({ name, service }));
const rootnote = compose.services['rootnote'];
const environment = rootnote?.environment ?? {};

/** Docker is not asked: what Compose would make of the file is checked as far as it can be read. */
describe('docker-compose.yml', () => {
  test('brings Rootnote, a Redis, Prometheus and Alertmanager', () => {
    expect(services.map(({ name }) => name)).toEqual(['rootnote', 'redis', 'prometheus', 'alertmanager']);
  });

  test.each(services)('$name: pinned to a version, healthy or not, on loopback only', ({ service }) => {
    if (service.build === undefined)
      expect(service.image).toMatch(/^docker\.io\/[a-z]+\/[a-z]+:v?\d+\.\d+(\.\d+)?(-alpine)?$/);
    else expect(service.image).toMatch(/:local$/);
    expect(service.healthcheck?.test[0]).toBe('CMD');
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
  });

  test.each(services)('$name: what it mounts is there', ({ service }) => {
    for (const mount of service.volumes ?? []) {
      const [source = '', target, mode] = mount.split(':');
      expect(target).toMatch(/^\//);
      if (!source.startsWith('.')) expect(compose.volumes).toHaveProperty(source);
      else expect([existsSync(source), mode]).toEqual([true, 'ro']);
    }
    for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty(secret);
    for (const needed of Object.keys(service.depends_on ?? {}))
      expect(compose.services[needed]?.healthcheck).toBeDefined();
  });

  test('Rootnote is given settings that there are, with values that it takes', () => {
    for (const name of Object.keys(environment)) expect(Config.shape).toHaveProperty(name);
    const config = parseConfig({ ...environment, ALERTMANAGER_BEARER_TOKENS: 'some-token' });
    expect(config).toMatchObject({ HOST: '0.0.0.0', PORT: 8080, REDIS_URL: 'redis://redis:6379' });
    expect(rootnote?.ports).toEqual([`127.0.0.1:${config.PORT}:${config.PORT}`]);
    expect(Number.parseInt(rootnote?.stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(config.SHUTDOWN_GRACE_MS);
    const hosts = [config.REDIS_URL, config.PROMETHEUS_URL].map((url) => new URL(url ?? '').hostname);
    for (const host of hosts) expect(compose.services).toHaveProperty(host);
  });

  test('a Prometheus and a folder of your own go before those that it brings', () => {
    const own = composeWith({ PROMETHEUS_URL: 'https://prometheus.example.com', ROOTNOTE_FILES: '/srv/rootnote' });
    expect(own.services['rootnote']?.environment?.['PROMETHEUS_URL']).toBe('https://prometheus.example.com');
    expect(own.services['rootnote']?.volumes).toContain('/srv/rootnote:/etc/rootnote:ro');
  });

  test('checks and routes are switched on by what the README of their folder writes into .env', async () => {
    const [, folder = ''] = /^(.+):\/etc\/rootnote:ro$/.exec(rootnote?.volumes?.[1] ?? '') ?? [];
    const lines = readFileSync(`${folder}/README.md`, 'utf8').matchAll(/^([A-Z_]+)=\/etc\/rootnote\/(\S+)/gm);
    const named = Object.fromEntries([...lines].map(([, name = '', file = '']) => [name, `${folder}/${file}`]));
    expect(Object.keys(named)).toEqual(['JOBS_DIR', 'ROUTES_FILE', 'KUBERNETES_KUBECONFIG']);
    for (const name of Object.keys(named)) expect(Config.shape).toHaveProperty(name);
    const { jobs, broken } = await readJobs(named['JOBS_DIR'] ?? '');
    expect({ broken, enabled: jobs.filter((job) => job.enabled).map(({ name }) => name) }).toEqual({
      broken: [],
      enabled: ['targets-down'],
    });
    expect(openRouting(parseConfig({ ROUTES_FILE: named['ROUTES_FILE'] ?? '' })).rules.default).toEqual(['file']);
  });

  test('no secret stands in it', () => {
    const secret = Object.keys(environment).filter(
      (name) => Config.shape[name as keyof Config]?.meta()?.['secret'] === true,
    );
    expect(secret).toContain('ALERTMANAGER_BEARER_TOKENS');
    for (const name of secret.filter((one) => one !== 'REDIS_URL'))
      expect(environment[name]).toMatch(/^\$\{[A-Z_]+:\?/);
    expect(new URL(environment['REDIS_URL'] ?? '').password).toBe('');
    expect(compose.secrets).toEqual({ rootnote_token: { environment: 'ALERTMANAGER_BEARER_TOKENS' } });
  });

  test('its Redis keeps what it is given', () => {
    const command = (compose.services['redis']?.command ?? []).join(' ');
    expect(command).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
    expect(compose.services['redis']?.volumes).toEqual(['redis:/data']);
  });

  test('the files that it mounts point at its services', () => {
    const alertmanager = readFileSync('examples/alertmanager/alertmanager.yml', 'utf8');
    expect(alertmanager).toContain(`url: http://rootnote:${environment['PORT']}/webhooks/alertmanager`);
    expect(alertmanager).toContain(`credentials_file: /run/secrets/${compose.services['alertmanager']?.secrets?.[0]}`);
    const prometheus = readFileSync('examples/prometheus/prometheus.yml', 'utf8');
    for (const [, host = ''] of prometheus.matchAll(/targets: \[([\w]+):\d+\]/g)) {
      if (host !== 'localhost') expect(compose.services).toHaveProperty(host);
    }
  });
});

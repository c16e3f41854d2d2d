import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkSources } from '../../../src/app/examine-settings.ts';
import { InputError } from '../../../src/app/input-error.ts';
import { openSources, sourceSecretsOf } from '../../../src/app/open-sources.ts';
import { createProcessRedactor } from '../../../src/app/process-redactor.ts';
import { useSources } from '../../../src/app/sources-command.ts';
import { ConfigError, parseConfig } from '../../../src/config/load-config.ts';
import { PAGERDUTY_SECRETS, SENDERS } from '../../support/webhook-senders.ts';

const SAMPLE = 'test/fixtures/webhooks/pagerduty/triggered.json';

describe('rootnote sources', () => {
  let folder = '';
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rootnote-sources-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const config = () =>
    parseConfig({
      ALERTMANAGER_BEARER_TOKENS: 'a-token-of-a-test',
      PAGERDUTY_WEBHOOK_SECRETS: PAGERDUTY_SECRETS.join(','),
      SOURCES_FILE: file('sources.yaml', 'sources: [{ name: shop, auth: open, mapping: { title: name } }]'),
    });
  const trial = (name: string, path: string, headers: Readonly<Record<string, string>> = {}, json = false) =>
    useSources(config(), { verb: 'try', name, file: path, headers, json }, createProcessRedactor(config()));

  test('list: name, method, path and protection of each', async () => {
    const request = { verb: 'list', json: false } as const;
    const { text } = await useSources(config(), request, createProcessRedactor(config()));
    expect(text.split('\n').slice(0, 3)).toEqual([
      'alertmanager  POST /webhooks/alertmanager  a bearer token',
      'pagerduty     POST /webhooks/pagerduty  signature X-PagerDuty-Signature under 2 secrets',
      'shop          POST /webhooks/shop  open: anybody may send. Set auth of the source shop in SOURCES_FILE',
    ]);
    expect(text).not.toContain('a-token-of-a-test');
    const json = await useSources(config(), { verb: 'list', json: true }, createProcessRedactor(config()));
    expect(JSON.parse(json.text)).toHaveLength(3);
  });

  test('try: what a body becomes, and whether its credentials would do', async () => {
    const unsigned = await trial('pagerduty', SAMPLE);
    for (const line of [
      /^incident +Cart latency above 2 s$/m,
      /^service +cart$/m,
      /^severity +high$/m,
      /^alert 1 +firing since 2026-11-03T07:21:40.000Z$/m,
      /^ {2}identity +Q2SHOPCART77$/m,
      /^ {2}label +team=Shop$/m,
    ])
      expect(unsigned.text).toMatch(line);
    expect(unsigned).toMatchObject({ isRefused: false, notes: [expect.stringContaining('401')] });
    const pagerduty = SENDERS.find(({ source }) => source === 'pagerduty');
    const [sample] = pagerduty?.samples ?? [];
    const signed = sample && pagerduty?.sign(sample.bytes);
    const accepted = await trial('pagerduty', SAMPLE, signed?.headers as Readonly<Record<string, string>>);
    expect(accepted.notes).toEqual([expect.stringContaining('credentials: accepted')]);
  });

  test('try: a refusal names the path, and what needs no work says why', async () => {
    const refused = await trial('shop', file('other.json', '{"titel":"x"}'));
    expect(refused).toMatchObject({ isRefused: true, text: 'refused, HTTP 422: title: nothing at name\n' });
    const ping = await trial('pagerduty', 'test/fixtures/webhooks/pagerduty/ping.json');
    expect(ping).toMatchObject({ isRefused: false, text: expect.stringContaining('connection test') as unknown });
    const taken = await trial('pagerduty', 'test/fixtures/webhooks/pagerduty/acknowledged.json');
    expect(taken.text).toContain('acknowledged at 2026-11-03T07:24:00.000Z by Alice Adler');
    const data = await trial('pagerduty', 'test/fixtures/webhooks/pagerduty/resolved.json', {}, true);
    expect(JSON.parse(data.text)).toMatchObject({
      kind: 'notification',
      notification: { alerts: [{ status: 'resolved', endsAt: '2026-11-03T08:02:10.000Z' }] },
    });
    const json = await trial('shop', file('other.json', '{}'), {}, true);
    expect(JSON.parse(json.text)).toEqual({ kind: 'refused', status: 422, error: 'title: nothing at name' });
  });

  test('a mapping can be listed and tried while its secret is not there, and it says what that means', async () => {
    const text =
      'sources: [{ name: backupd, auth: { bearer: BACKUPD_TOKEN_OF_A_TEST }, mapping: { title: job, status: { path: state, map: { failed: firing, done: resolved } } } }]';
    const without = parseConfig({ SOURCES_FILE: file('no-secret.yaml', text) });
    const redactor = createProcessRedactor(without);
    const said = 'BACKUPD_TOKEN_OF_A_TEST is not set: the receiver will refuse to start until then';
    const { text: listed } = await useSources(without, { verb: 'list', json: false }, redactor);
    expect(listed).toContain(`POST /webhooks/backupd  ${said}`);
    const tried = async (state: string) => {
      const body = file('backup.json', JSON.stringify({ job: 'nightly', state }));
      return useSources(without, { verb: 'try', name: 'backupd', file: body, headers: {}, json: false }, redactor);
    };
    const known = await tried('Done');
    expect(known.text).toMatch(/^alert 1 +resolved/m);
    expect(known.notes).toEqual([expect.stringContaining(said)]);
    const { text: unknown, notes } = await tried('warped\u001b[2J');
    expect(unknown).toMatch(/^alert 1 +firing/m);
    expect(notes[0]).toMatch(/^status: 'warped.*' is not in map, and there is no otherwise: it is taken for firing$/);
    expect(() => openSources(without)).toThrow(/sources.backupd.auth: the variable BACKUPD_TOKEN_OF_A_TEST is not set/);
  });

  test('try: text of the body cannot steer the terminal, and secrets are gone', async () => {
    const name = `\u001b[2Jdown password=${['hunter2', 'horse'].join('-')}`;
    const { text } = await trial('shop', file('hostile.json', JSON.stringify({ name })));
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('horse');
    expect(text).toContain('down');
  });

  test('a source or a file that is not there is told with what there is', async () => {
    await expect(trial('sentry', SAMPLE)).rejects.toThrow(InputError);
    await expect(trial('sentry', SAMPLE)).rejects.toThrow(
      'there is no source sentry: add an entry with preset: sentry to SOURCES_FILE (docs/sources.md); there are: alertmanager, pagerduty, shop',
    );
    await expect(trial('grafana', SAMPLE)).rejects.toThrow('no source grafana: set GRAFANA_WEBHOOK_SECRET, ');
    await expect(trial('shpo', SAMPLE)).rejects.toThrow('no source shpo; there are');
    await expect(trial('shopp', SAMPLE)).rejects.toThrow('no source shopp; did you mean shop?; there are');
    await expect(trial('shop', join(folder, 'missing.json'))).rejects.toThrow('missing.json is not there');
  });

  test('a broken SOURCES_FILE ends the start with file and line; redaction goes on', () => {
    const broken = parseConfig({ SOURCES_FILE: file('broken.yaml', 'sources:\n  - name: Shop\n') });
    expect(() => openSources(broken)).toThrow(ConfigError);
    expect(() => openSources(broken)).toThrow(/SOURCES_FILE: .*broken.yaml:2: sources.Shop.name/);
    expect(sourceSecretsOf(broken)).toEqual([]);
    expect(() => parseConfig({ SOURCES_FILE: join(folder, 'missing.yaml'), PORT: 'x' })).toThrow('SOURCES_FILE: ');
  });

  test('what SOURCES_FILE refers to is redacted wherever it turns up', () => {
    const secret = ['quite', 'ordinary', 'words'].join(' ');
    process.env['SHOP_TOKEN_OF_A_TEST'] = secret;
    try {
      const text = 'sources: [{ name: shop, auth: { bearer: SHOP_TOKEN_OF_A_TEST } }]';
      const { redact } = createProcessRedactor(parseConfig({ SOURCES_FILE: file('secret.yaml', text) }));
      expect(redact(`the token is ${secret}, it says`)).not.toContain(secret);
    } finally {
      delete process.env['SHOP_TOKEN_OF_A_TEST'];
    }
  });

  test('doctor lists who may send and what each has to show, and that PagerDuty cannot be asked without a key', () => {
    const value =
      'alertmanager: a bearer token; pagerduty: signature X-PagerDuty-Signature under 2 secrets; shop: open, anybody may send';
    const sources = openSources(config());
    expect(checkSources(sources, { PAGERDUTY_API_TOKEN: 'a-key' })).toEqual({
      name: 'sources',
      status: 'warn',
      value,
      remedy: 'Set auth of the source shop in SOURCES_FILE.',
    });
    const closed = openSources(parseConfig({ ALERTMANAGER_BEARER_TOKENS: 'a-token-of-a-test' }));
    expect(checkSources(closed, config())).toEqual({
      name: 'sources',
      status: 'ok',
      value: 'alertmanager: a bearer token',
    });
    expect(checkSources(sources, config())).toMatchObject({
      status: 'warn',
      value: expect.stringContaining(value) as unknown,
      remedy: expect.stringContaining('PAGERDUTY_API_TOKEN') as unknown,
    });
  });
});

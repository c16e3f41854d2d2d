import { describe, expect, test } from '@jest/globals';
import { guessableGuards } from '../../../src/config/doubts.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { assertSafeToListen, UnsafeListenError } from '../../../src/http/authorize.ts';
import { readSourcesFile } from '../../../src/sources/generic/settings.ts';
import { createSources } from '../../../src/sources/index.ts';

const { senders } = readSourcesFile('sources: [{ name: shop, auth: open }]', 'sources.yaml', () => undefined);
const PROTECTED = { ALERTMANAGER_BEARER_TOKENS: ['t'], GRAFANA_WEBHOOK_SECRET: 's', PAGERDUTY_WEBHOOK_SECRETS: ['s'] };
const listen = (
  HOST: string,
  over: { ALLOW_UNAUTHENTICATED?: boolean } = {},
  sources = createSources(PROTECTED, senders),
  guessable: readonly string[] = [],
) => assertSafeToListen({ HOST, ALLOW_UNAUTHENTICATED: false, ...over }, sources, guessable);

describe('listening with several sources', () => {
  test('one that is open is enough to refuse, and the message names it and its setting', () => {
    expect(() => listen('0.0.0.0')).toThrow(UnsafeListenError);
    expect(() => listen('0.0.0.0')).toThrow(
      'HOST=0.0.0.0 is reachable from other machines and nothing protects /webhooks/shop. Set auth of the source shop in SOURCES_FILE',
    );
  });

  test('a token that everybody can guess protects nothing', () => {
    const guarded = createSources(PROTECTED);
    const guessable = guessableGuards(parseConfig({ ALERTMANAGER_BEARER_TOKENS: 'good-token,changeme' }));
    expect(() => listen('0.0.0.0', {}, guarded, guessable)).toThrow(/anybody can guess ALERTMANAGER_BEARER_TOKENS/);
    expect(() => listen('127.0.0.1', {}, guarded, guessable)).not.toThrow();
    expect(guessableGuards(parseConfig({ PROMETHEUS_BEARER_TOKEN: 'changeme' }))).toEqual([]);
  });

  test('on loopback, behind a proxy that checks, and with credentials everywhere it starts', () => {
    expect(() => listen('127.0.0.1')).not.toThrow();
    expect(() => listen('0.0.0.0', { ALLOW_UNAUTHENTICATED: true })).not.toThrow();
    expect(() => listen('0.0.0.0', {}, createSources(PROTECTED))).not.toThrow();
  });
});

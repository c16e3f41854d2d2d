import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Config } from '../../../src/config/schema.ts';

/** Settings that say where something is which Rootnote talks to. */
const ADDRESS = /(_URL|_ENDPOINT|_SENTINELS|_NODES|_KUBECONFIG)$/;

test('docs/security.md tells of everything that an address in the settings leads to', () => {
  const text = readFileSync('docs/security.md', 'utf8');
  const section = /^## What leaves the cluster$([\s\S]*?)^## /m.exec(text)?.[1]?.toLowerCase() ?? '';
  const addresses = Object.keys(Config.shape).filter((setting) => ADDRESS.test(setting));
  expect(addresses).toEqual(expect.arrayContaining(['PROMETHEUS_URL', 'SLACK_WEBHOOK_URL']));
  const untold = addresses.filter((setting) => !section.includes(setting.split('_')[0]?.toLowerCase() ?? setting));
  expect(untold).toEqual([]);
});

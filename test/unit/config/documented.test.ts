import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { configurationTable, envExample } from '../../../src/config/describe-settings.ts';

test('D6: .env.example is what the schema says (npm run docs)', () => {
  expect(readFileSync('.env.example', 'utf8')).toBe(envExample());
});

test('docs/configuration.md holds the table of the schema (npm run docs)', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toContain(configurationTable());
});

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { reportJsonSchema } from '../../../src/domain/report-json-schema.ts';

test('C11: the published JSON Schema of the report is that of the code (npm run docs)', () => {
  expect(readFileSync('docs/report.schema.json', 'utf8')).toBe(reportJsonSchema());
});

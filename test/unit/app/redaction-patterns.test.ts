import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProcessRedactor } from '../../../src/app/process-redactor.ts';
import { checkRedaction, redactionPatterns } from '../../../src/app/redaction-patterns.ts';
import { ConfigError, parseConfig } from '../../../src/config/load-config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rootnote-patterns-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const file = join(folder, 'patterns.yaml');
  writeFileSync(file, text);
  return file;
}

test('the rules of the file are rules of the process', () => {
  const file = fileOf(
    "# staff\n- type: employee\n  pattern: 'EMP-\\d{6}'\n- {type: site, pattern: 'site-[a-z]{4}', flags: i}\n",
  );
  const redactor = createProcessRedactor(parseConfig({ REDACT_PATTERNS_FILE: file }));
  expect(redactor.redact('EMP-123456 at SITE-bern')).toMatch(
    /^\[REDACTED:employee:\w{4}\] at \[REDACTED:site:\w{4}\]$/,
  );
  expect(checkRedaction(file, redactionPatterns(file))).toMatchObject({
    status: 'ok',
    value: expect.stringContaining(`2 of ${file}`),
  });
  expect(checkRedaction(undefined, []).value).toContain('not set');
});

test.each([
  [
    'an entry that cannot be used',
    "- type: a\n  pattern: 'abcd'\n- type: b\n  pattern: '(x+)+'\n",
    /:4: b\.pattern: .*upper bound/,
  ],
  ['a file that is no YAML', '- {type: a', /:1:11: this is no YAML: /],
  ['a file that holds no list', 'type: a', /must be a list of \{ type, pattern, flags \}/],
])('%s ends the start with its file and the reason', (_name, text, reason) => {
  const file = fileOf(text);
  expect(() => redactionPatterns(file)).toThrow(ConfigError);
  expect(() => redactionPatterns(file)).toThrow(reason);
  expect(() => redactionPatterns(file)).toThrow(file);
});

test('a file that is not there is told as such', () => {
  expect(() => redactionPatterns(join(folder, 'no'))).toThrow(/^REDACT_PATTERNS_FILE: .*no is not there$/);
});

import { expect, test } from '@jest/globals';
import { createInvestigationParts } from '../../../src/app/parts.ts';
import { createProcessRedactor } from '../../../src/app/process-redactor.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

test('an investigation redacts what a colour code or an invisible character splits', () => {
  const config = parseConfig({ PROMETHEUS_BEARER_TOKEN: 'configured-secret' });
  const { redact } = createInvestigationParts(config, {
    toolbox: { providers: [] },
    offline: true,
    distil: () => Promise.reject(new Error('not asked')),
    redactor: createProcessRedactor(config),
  });
  expect(redact('asked with configured-\u001b[31msecret')).toMatch(/^asked with \[REDACTED:known-secret:\w{4}\]$/);
  expect(redact('configured\u200b-secret')).toMatch(/^\[REDACTED:/);
});

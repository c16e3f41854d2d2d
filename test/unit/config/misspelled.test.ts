import { describe, expect, test } from '@jest/globals';
import { findMisspelled } from '../../../src/config/misspelled.ts';

describe('variables that no setting reads', () => {
  test('a name that is nearly a setting is found in the file and in the environment, with what was meant', () => {
    expect(findMisspelled(['PROMETHEUS_ULR'], ['ANTROPIC_API_KEY', 'log_level'])).toEqual([
      { name: 'PROMETHEUS_ULR', meant: 'PROMETHEUS_URL' },
      { name: 'ANTROPIC_API_KEY', meant: 'ANTHROPIC_API_KEY' },
      { name: 'log_level', meant: 'LOG_LEVEL' },
    ]);
  });

  test('a name that only begins like a setting counts in the file', () => {
    expect(findMisspelled(['SLACK_TOKEN', 'ROOTNOTE_PORT'], ['SLACK_TOKEN', 'REDIS_PORT'])).toEqual([
      { name: 'SLACK_TOKEN' },
      { name: 'ROOTNOTE_PORT' },
    ]);
  });

  test('what other programs are told is none of our business', () => {
    expect(findMisspelled(['COMPOSE_FILE', 'TZ'], ['HOME', 'PATH', 'PWD', 'USER', 'POSTGRES_URL'])).toEqual([]);
    expect(findMisspelled(['PORT', 'HOST'], ['PROMETHEUS_URL'])).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createGenericSource } from '../../../src/sources/generic/index.ts';
import { DATADOG } from '../../../src/sources/generic/presets/datadog.ts';
import { readSourcesFile, SourcesFileError } from '../../../src/sources/generic/settings.ts';

const ENVIRONMENT: Readonly<Record<string, string>> = { TOKEN: 'a-token', PAIR: 'user:a-password', KEY: 'a-key' };
const read = (text: string) => readSourcesFile(text, 'sources.yaml', (name) => ENVIRONMENT[name]);

/** Of a file that cannot be used: what is told. */
function problemsOf(text: string): string {
  try {
    read(text);
  } catch (error) {
    expect(error).toBeInstanceOf(SourcesFileError);
    return (error as SourcesFileError).message;
  }
  throw new Error('the file was taken');
}

describe('SOURCES_FILE', () => {
  test('the examples of docs/sources.md are taken as they stand', () => {
    const blocks = [...readFileSync('docs/sources.md', 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map(
      (match) => match[1] ?? '',
    );
    const files = blocks.flatMap((text) =>
      text.startsWith('sources:') ? [text] : text.startsWith('- name:') ? [`sources:\n${text}`] : [],
    );
    const senders = files.flatMap((text) => readSourcesFile(text, 'docs', () => 'user:a-password').senders);
    expect(senders.map(({ name }) => name)).toEqual([
      'datadog',
      'sentry',
      'cloudwatch',
      'opsgenie',
      'uptime',
      'events',
    ]);
  });

  test('the payload of docs/sources.md for Datadog has every key that the preset reads', () => {
    const [payload] = /\{\s*"alert_id"[\s\S]*?\n\}/.exec(readFileSync('docs/sources.md', 'utf8')) ?? [];
    const documented = Object.keys(JSON.parse(payload ?? '{}') as object);
    const used = [
      ...JSON.stringify(DATADOG).matchAll(
        /"(title|transition|priority|type|cycle_key|aggreg_key|alert_id|date|tags|scope|hostname|query|text|link)"/g,
      ),
    ];
    for (const [, key] of used) expect(documented).toContain(key);
    expect(documented).toHaveLength(14);
  });

  test('secrets come from the environment, and are told for redaction', () => {
    const { senders, secrets } = read(`
sources:
  - { name: one, auth: { bearer: TOKEN } }
  - { name: two, auth: { basic: PAIR } }
  - { name: three, auth: { hmac: { header: X-Sig, secret: [KEY], encoding: base64 } }, mapping: { title: t } }
  - { name: four, auth: open }
`);
    expect(senders.map(({ name, sender }) => [name, sender.kind === 'http' && sender.auth.kind])).toEqual([
      ['one', 'bearer'],
      ['two', 'basic'],
      ['three', 'hmac'],
      ['four', 'open'],
    ]);
    expect(secrets).toEqual(['a-token', 'user:a-password', 'a-password', 'a-key']);
  });

  test('an open sender says which setting would close it', () => {
    const [sender] = read('sources: [{ name: four, auth: open }]').senders;
    if (!sender) throw new Error('no sender');
    const surroundings = { now: Date.now, fetchText: () => Promise.resolve('') };
    expect(createGenericSource(sender, surroundings).auth).toEqual({
      kind: 'open',
      remedy: 'Set auth of the source four in SOURCES_FILE',
    });
  });

  test('everything that is wrong is told at once, each with its line, and no value', () => {
    const text = `sources:
  - name: Shop
    auth: open
    mapping: { title: t }
  - name: aws
    preset: cloudwatch-sns
    auth: open
  - name: pagerduty
    auth: { hmac: { secret: KEY } }
  - name: four
    mapping:
      each: a..b
      severity: { map: { a: b } }
  - name: five
    auth: { bearer: a_token0badc0ffee }
    preset: grafana
`;
    expect(problemsOf(text).split('\n')).toEqual([
      'sources.yaml:2: sources.Shop.name: must be lower-case letters, digits and hyphens, at most 40',
      'sources.yaml:5: sources.aws.topics: is needed with cloudwatch-sns: the ARNs of its topics',
      'sources.yaml:7: sources.aws.auth: leave it out: SNS signs its messages',
      'sources.yaml:8: sources.pagerduty.name: is taken: its settings are environment variables',
      'sources.yaml:9: sources.pagerduty.auth: needs hmac.header: the name of the header with the signature',
      'sources.yaml:10: sources.four.auth: is needed: how the sender proves who it is, or open',
      'sources.yaml:11: sources.four.mapping.title: is needed: where the title of an alert is',
      'sources.yaml:12: sources.four.mapping.each: must be a path such as a.b[0].c, list[].name or /a/b/0',
      'sources.yaml:13: sources.four.mapping.severity: needs either path or const',
      'sources.yaml:15: sources.five.auth.bearer: must be the name of an environment variable, in capitals: the secret stands there',
      'sources.yaml:16: sources.five.preset: must be datadog, sentry, cloudwatch-sns or opsgenie',
    ]);
    expect(problemsOf(text)).not.toMatch(/a_token|a-key/);
  });

  test('none of it hides behind the rest: twins, variables that are not set, words that are no state', () => {
    const text = `sources:
  - name: one
    auth: { bearer: [TOKEN, NOWHERE] }
    preset: dataog
    mapping:
      status: { path: s, map: { ok: resolvd, failed: broken, new: firing }, otherwise: Ignored, default: open }
  - name: one
    auth: { basic: TOKEN, bearer: TOKEN }
    mapping: { tittle: t, title: t, severity: { path: s, otherwise: x } }
  - name: three
    auth: { beerer: TOKEN }
    maping: { title: t }
`;
    expect(problemsOf(text).split('\n')).toEqual([
      'sources.yaml:3: sources.one.auth: the variable NOWHERE is not set',
      'sources.yaml:4: sources.one.preset: must be datadog, sentry, cloudwatch-sns or opsgenie; did you mean datadog?',
      'sources.yaml:5: sources.one.mapping.title: is needed: where the title of an alert is',
      'sources.yaml:5: sources.one.mapping: leave it out: the preset brings one',
      'sources.yaml:6: sources.one.mapping.status.default: must be firing, resolved, acknowledged or ignored',
      'sources.yaml:6: sources.one.mapping.status.map.ok: must be firing, resolved, acknowledged or ignored; did you mean resolved?',
      'sources.yaml:6: sources.one.mapping.status.map.failed: must be firing, resolved, acknowledged or ignored',
      'sources.yaml:7: sources.one.name: one is there twice',
      expect.stringMatching(/^sources.yaml:8: sources.one.auth: must be open, \{bearer: VARIABLE\}/) as unknown,
      'sources.yaml:9: sources.one.mapping.severity: otherwise goes with map',
      'sources.yaml:9: sources.one.mapping.tittle: no such key is known here; did you mean title?',
      'sources.yaml:11: sources.three.auth.beerer: no such key is known here; did you mean bearer?',
      expect.stringMatching(/^sources.yaml:11: sources.three.auth: must be open, /) as unknown,
      'sources.yaml:12: sources.three.maping: no such key is known here; did you mean mapping?',
    ]);
  });

  test('for a trial, a variable that is not set is no mistake; its sender says so and takes nothing', () => {
    const text = 'sources: [{ name: a, auth: { bearer: NOWHERE } }]';
    const { senders, secrets } = readSourcesFile(text, 'f', () => undefined, { mayLackSecrets: true });
    const [sender] = senders;
    if (!sender) throw new Error('no sender');
    const { auth } = createGenericSource(sender, { now: Date.now, fetchText: () => Promise.resolve('') });
    expect(auth).toMatchObject({ kind: 'headers', how: expect.stringMatching(/^NOWHERE is not set: /) as unknown });
    expect(auth.kind === 'headers' && auth.accepts({ authorization: 'Bearer ' })).toBe(false);
    expect(secrets.join('')).toBe('');
    const pair = 'sources: [{ name: a, auth: { basic: TOKEN } }]';
    expect(() => readSourcesFile(pair, 'f', () => 'x', { mayLackSecrets: true })).toThrow(/user:password/);
  });

  test.each([
    ['', 'the file is empty'],
    ['sources: [', 'sources.yaml:1:11: this is no YAML: '],
    ['senders: []', 'sources'],
    ['sources: [{ name: a, auth: open }, { name: a, auth: open }]', 'a is there twice'],
    ['sources: [{ name: a }]', 'auth: is needed'],
    ['sources: [{ name: a, auth: open, mapping: {} }]', 'title: is needed'],
    ['sources: [{ name: a, auth: open, preset: datadog, mapping: { title: t } }]', 'the preset brings one'],
    ['sources: [{ name: a, auth: open, topics: ["arn:aws:sns:eu-west-1:111122223333:x"] }]', 'goes with the preset'],
    ['sources: [{ name: a, preset: cloudwatch-sns, topics: [alarms] }]', 'must be the ARN of an SNS topic'],
    ['sources: [{ name: a, auth: { bearer: NOWHERE } }]', 'the variable NOWHERE is not set'],
    ['sources: [{ name: a, auth: { basic: TOKEN } }]', 'must have the form user:password'],
    ['sources: [{ name: a, auth: open, mapping: { title: { path: t, otherwise: x } } }]', 'otherwise goes with map'],
    ['sources: [{ name: a, auth: open, mapping: { when: { "a..b": [x] }, title: t } }]', 'the key must be a path'],
    ['sources: [{ name: a, auth: open, mapping: { title: t, labls: {} } }]', 'labls'],
  ])('%j is refused: %s', (text, message) => {
    expect(problemsOf(text)).toContain(message);
  });
});

import { expect, test } from '@jest/globals';
import { createRedactor } from '../../../src/policy/redact.ts';
import { BY_PLACE } from '../../../src/policy/redaction/commands.ts';
import { STATEMENTS } from '../../../src/policy/redaction/statements.ts';
import { beginningsOf } from '../../../src/policy/redaction/token-beginnings.ts';
import { TOKEN_FORMATS } from '../../../src/policy/redaction/token-formats.ts';

const redactor = createRedactor({ secrets: ['registered-secret'], key: 'k' });
const SMALL = 15_000;

/** Per rule family: its keyword, its longest prefix and its near misses, without end. */
const families = [
  'password', 'password=', 'password      ', 'password\t', '"password":"', '\\"password\\":\\"', 'token=${', 'key=', 'api key ', '<password>', 'password is ',
  '&quot;password&quot;:&quot;', '\\u0022password\\u0022:\\u0022', 'password"]=>\n string(3) ', '"passwords":["abcdef1","', 'tokens:\n  - abcdef123456\n',
  'password -> "a" -> ', 'seed phrase: a b c ', 'password: |\n  ', `${'x'.repeat(300)}=password `, 'pin=', '密码：',
  'eyJaaaaaaaaaa.eyJ', '1234567890:AA', 'https://hooks.slack.com/services/', 'https://a.b/hook/', '/reset-password/', '%3A%2F%2Fa%3A', 'aaaaaaaaaaaaaa.atlasv1.',
  '-----BEGIN ', '"-----BEGIN PRIVATE KEY-----', '-----END ', '-----END RSA PRIVATE KEY-----', 'aaaaaaaaaaaaaaaaaaaa\n', 'LS0tLS1CRUdJTi', 'kty{', '{"kty":"d":"', 'Private-Lines: 1\n',
  'Authorization: Bearer ', 'authorization: a ', 'bearer ', 'cookie: a=', 'cookie: a=b;', 'a://b:c', 'http://u:p@', 'a:b@tcp', `@${'x'.repeat(9000)}`, `@${'x\n'.repeat(9000)}`, 'a:b@tcp(',
  'login a password ', "identified by '", "insert into a (password) values ('", 'insert into a (password) values (', 'db:5432:a:b:', 'a.b c@d.e:', 'WIFI:S:a;',
  'mysql -p', 'curl -u a:', 'curl -', 'a -u b c d e f g ', 'a -u b -', 'echo a | ', 'kind: Secret\ndata:\n', '"kind":"Secret","data":{"a":"',
  '<a b="c" ', '<a name="password" ', '<property name="password" value="', 'value="a",name="', 'value: a ',
  '$6$', '{SSHA}a', 'SCRAM-SHA-256$4096:aaaaaaaa$', 'password for user ', 'the password for a ', 'password is set to ', 'following password ', 'credentials: a ', 'credentials a/',
  'ghp_a…', 'a://b:cc…', '[REDACTED:password:', 'registered-secre', '"', '\\"', '\\', '"a \\"', '"\\\\\\\\', '{"a":"{\\"b\\":\\"', "\"a' ", '\x91000000\x92',
  'a,password\n', 'password,a\nb,c\n', 'password,a\nb,c\nd,e,f\n', 'password\t', 'a|', 'config http-basic.a b ', 'config a.b c:', 'snyk auth ', 'password changed from ', 'from [REDACTED:password:abcd] to ',
  'secret "', 'secrets "a-b.c" ', 'service account key ',
  'sec-websocket-protocol: token, ', 'unseal key 1: ',
  'ab', 'a ', 'a.', 'a-', 'a_', 'a:', 'a=', 'a/', 'aA1', '0', 'AAAA', ' /p:',
]; // prettier-ignore
const TAIL = 'a1B2c3D4e5F6g7H8';
const beginnings = [...new Set(TOKEN_FORMATS.flatMap(({ body }) => beginningsOf(body)))].map((start) => start + TAIL);
/** What each rule of a list looks for first, as far as it is a literal. */
const needles = [...STATEMENTS, ...BY_PLACE].map(
  ({ needle }) => `${needle.source.split('|')[0]?.replace(/\\[a-z]|[\\^$()[\]{}?*+]/g, ' ')} a `,
);

function cpuMs(text: string): number {
  const before = process.cpuUsage();
  redactor.redact(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The best of up to three: a shared machine must not fail the test, a quadratic rule must. */
function isLinear(unit: string): boolean {
  const small = unit.repeat(Math.ceil(SMALL / unit.length));
  redactor.redact(small);
  const large = small.repeat(8);
  // A quadratic rule takes 64 times as long. 10 ms of slack cover the clock's grain and the garbage collector.
  return [0, 1, 2].some(() => cpuMs(large) < 24 * Math.min(cpuMs(small), cpuMs(small)) + 10);
}

test.each([...families, ...needles])('time grows with the length, not with its square: %j', (unit) => {
  expect(isLinear(unit)).toBe(true);
});

test('an address is found wherever it stands in a text without line breaks', () => {
  const address = ['mysql://app:', 'zQ8mt4Lw9xK', '@db/shop app:', 'zQ8mt4Lw9xK', '@tcp(db:3306)/shop'].join('');
  for (const before of [0, 1000, 5000, 15_000, 70_000]) {
    const text = `${'word '.repeat(before)}${address}${' word'.repeat(20_000)}`;
    expect(redactor.redact(text)).not.toContain('zQ8mt4Lw9xK');
  }
});

test('no beginning of a token, repeated, takes more than its length', () => {
  expect(beginnings.filter((unit) => !isLinear(unit))).toEqual([]);
});

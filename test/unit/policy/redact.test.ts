import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createRedactor } from '../../../src/policy/redact.ts';

/** Secrets are built here, from seeded random characters: literal ones would trip every scanner of the repository. */
function generator(seed: number): (alphabet: string, length: number) => string {
  let state = seed;
  return (alphabet, length) =>
    Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return alphabet[state % alphabet.length];
    }).join('');
}
const random = generator(20261129);
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const HEX = '0123456789abcdef';
const token = `Aa1${random(ALNUM, 29)}`;
const password = `zQ8#${random(ALNUM, 6)}!x`;
const hex = `a1${random(HEX, 30)}`;
const known = `known-${random(ALNUM, 20)}+/&"`;
const redactor = createRedactor({ secrets: [known, 'short'], key: 'run-1' });

const withSecret: readonly (readonly [name: string, text: string, secret: string])[] = [
  ['cloud access key', `credentials AKIA${random(UPPER, 16)} in eu-west-1`, 'AKIA'],
  ['token after an escaped line break', `{"msg":"a\\nghp_${random(ALNUM, 36)}"}`, 'ghp_'],
  ['JSON web token', `claims of eyJ${random(ALNUM, 20)}.eyJ${random(ALNUM, 40)}.${token} rejected`, token],
  [
    'chat webhook address',
    `POST https://hooks.slack.com/services/T${random(UPPER, 8)}/B${random(UPPER, 9)}/${token} 200`,
    token,
  ],
  ['token at a cut', `used ghp_${token.slice(0, 9)}…`, token.slice(0, 9)],
  ['claims at a cut', `Bearer eyJ${token.slice(0, 12)}…`, token.slice(0, 12)],
  ['password of an address at a cut', `postgres://app:${password.slice(0, 6)}…`, password.slice(0, 6)],
  ['bearer header', `> authorization: Bearer ${token}`, token],
  ['header as JSON list', `{"authorization":["Bearer ${token}"]}`, token],
  ['header with a scheme of its own', `Authorization: token ${token}`, token],
  ['basic header', `Proxy-Authorization: Basic ${token}=`, token],
  ['session cookie', `Cookie: theme=dark; session=${token}; lang=en`, token],
  ['set cookie', `Set-Cookie: JSESSIONID=${token}; Path=/; HttpOnly`, token],
  ['URL userinfo', `postgres://app:${password}@db.prod.svc:5432/orders?sslmode=require`, password],
  ['URL userinfo with an unescaped @', `https://u:pa@ss${token}@host/x`, token],
  ['URL userinfo with an unescaped /', `https://u:pa/ss${token}@host/x`, token],
  ['token as URL user', `https://${token}@errors.example.com/1`, token],
  ['database driver form', `shop:${password}@tcp(db:3306)/shop`, password],
  ['environment', `export DB_PASS='${password}'`, password],
  ['environment with a suffix', `DB_PASSWORD_PROD=${password} ./run.sh`, password],
  ['logfmt', `connect failed user=app password=${password} host=db`, password],
  ['JSON', `{"user":"bob","password":"${password}","ip":"10.1.2.3"}`, password],
  ['password that looks like code', `password=abc(${token}`, token],
  ['JSON number', '{"token": 4829104857261}', '4829104857261'],
  ['JSON value with an escaped quote', `{"password":"ab\\"${token}"}`, token],
  ['escaped JSON', `msg="{\\"user\\":\\"bob\\",\\"clientSecret\\":\\"${token}\\"}"`, token],
  ['doubly escaped JSON', `{"m":"{\\\\\\"api_key\\\\\\":\\\\\\"${token}\\\\\\"}"}`, token],
  ['YAML', `  db_password: "${password}"`, password],
  ['YAML block', `password: |\n  ${password}\nnext: 1`, password],
  ['environment list of a pod', `- name: DB_PASSWORD\n  value: ${password}`, password],
  ['environment list as JSON', `{"name":"API_TOKEN","value":"${token}"}`, token],
  ['XML element', `<password>${password}</password>`, password],
  ['XML element with attributes', `<wsse:Password Type="x">${token}</wsse:Password>`, token],
  ['XML character data', `<password><![CDATA[${password}]]></password>`, password],
  ['XML property list', `<key>password</key><string>${token}</string>`, token],
  ['wrapped text', `Config { password: Some("${password}") }`, password],
  ['YAML anchor', `password: &pw ${token}`, token],
  ['variable with a default', `variable "db_password" { default = "${password}" }`, password],
  ['line protocol', `AUTH default ${token}`, token],
  ['line protocol in a monitor', `"AUTH" "${token}"`, token],
  ['password file of PostgreSQL', `db:5432:orders:app:${token}`, token],
  ['Oracle address', `jdbc:oracle:thin:scott/${token}@//h:1521/x`, token],
  ['authorization parameters', `Authorization: Hawk id="a", ts="1", mac="${token}="`, token],
  ['option by place', `rabbitmqctl change_password guest ${password}`, password],
  ['XML attribute', `<add key="Password" value="${password}"/>`, password],
  ['properties', `spring.datasource.password=${password}`, password],
  ['Ruby hash', `:password => '${password}'`, password],
  ['struct dump', `Config{User:"a", Password:"${password}"}`, password],
  ['connection string', `Server=sql;User Id=sa;Password=${password};Encrypt=true`, password],
  ['query parameter', `GET /v2/data?api_key=${hex}&q=1 429`, hex],
  ['signed URL', `https://b.example.com/k?X-Amz-Signature=${hex}${hex}`, hex],
  ['percent-encoded query', `next=%2Fcb%3Ftoken%3D${token}%26a%3D1`, token],
  ['long option', `exec: dump --user root --password ${password} shop`, password],
  ['attached short option', `mysql -h db -uroot -p${token} shop`, token],
  ['separate short option', `ldapsearch -x -w ${password} -b dc=acme`, password],
  ['user and password option', `curl -s -u 'admin:${password}' http://es:9200/`, password],
  ['password in words', `api key: ${token}`, token],
  ['netrc', `machine git.example.com login ci password ${password}`, password],
  ['SQL', `ALTER USER app IDENTIFIED BY '${password}'`, password],
  ['Kubernetes Secret as YAML', `apiVersion: v1\ndata:\n  a: ${token}\n  b: |\n    ${hex}\nkind: Secret`, token],
  ['Kubernetes Secret as JSON', `{"kind":"Secret","data":{"a":"${token}"},"metadata":{"name":"x"}}`, token],
  ['registry auth', `{"auths":{"ghcr.io":{"auth":"${token}=="}}}`, token],
  ['private key', `-----BEGIN RSA PRIVATE KEY-----\n${token}\n-----END RSA PRIVATE KEY-----\nafter`, token],
  ['private key without an end', `{"k":"-----BEGIN PRIVATE KEY-----\\n${token}","a":1}`, token],
  [
    'private key with a log prefix on every line',
    `-----BEGIN PRIVATE KEY-----\n10:00:01 app ${token}\n10:00:01 app -----END PRIVATE KEY-----`,
    token,
  ],
];

/** Looks random or is named like a secret, and is evidence all the same. */
const withoutSecret: readonly string[] = [
  'GET http://checkout:8080… and a task-… of eyJ…',
  `deploy commit ${hex}12345678 by ci`,
  `ghcr.io/acme/app@sha256:${hex}${hex}`,
  `trace_id=${hex} span_id=${hex.slice(0, 16)}`,
  `Idempotency-Key: 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed`,
  `cache key=${hex}`,
  'cache miss key=user:582475:cart',
  `-----BEGIN CERTIFICATE-----\n${token}\n-----END CERTIFICATE-----`,
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5${token} ops@acme`,
  'usage input_tokens=31939 max_tokens=4096',
  'tests pass: 12 fail: 0',
  'secret "db-credentials-4e2a" not found in namespace prod',
  'secretName: checkout-tls',
  'secretKeyRef: {name: db, key: password}',
  'kube_secret_info{secret="checkout-tls"} 1',
  'password: ${DB_PASSWORD}',
  'password=******** user=app',
  'Authorization: Bearer <token> required',
  'authorization: denied',
  'password authentication failed for user "app"',
  'password: incorrect for user bob',
  'password_reset=true attempts=99',
  '{"user":"u","password":"","token":null}',
  '--password-file=/run/secrets/db',
  'csrf token mismatch for request req-9be0a8bd65f4',
  'postgres://db.prod.svc:5432/orders',
  'http://svc:8575/path@v2/567',
  'git@github.com:org/repo.git',
  'sasl.mechanism=SCRAM-SHA-512 security.protocol=SASL_SSL',
  'docker run -p 8080:80 nginx',
  'basic authentication required',
  'Authorization: Bearer <token> required for <path>',
  'closing token=Token{a64f992 ActivityRecord{de9231d u0 com.example/.Main t761}}',
  'Bad activity token: android.os.BinderProxy@2bd79ce',
  'session closed for sessionid: 0x14ede63a5a70002',
  'AUTH FAILED for user app after 3 attempts',
  'main.go:12:5:error:message',
  'com.acme.auth.token.TokenProviderFactory.getSecretKeySpec',
];

describe('redaction', () => {
  test.each(withSecret)('masks: %s', (_name, text, secret) => {
    const out = redactor.redact(text);
    expect(out).not.toContain(secret);
    expect(out).toMatch(/\[REDACTED:[a-z0-9-]+:[0-9a-f]{4}\]/);
    expect(redactor.redact(out)).toBe(out);
  });

  test.each(withSecret)('masks inside a JSON log line, which stays JSON: %s', (_name, text, secret) => {
    const line = JSON.stringify({ time: '2026-11-29T10:00:00Z', level: 'error', msg: text });
    const out = redactor.redact(line);
    expect(JSON.parse(out)).toMatchObject({ time: '2026-11-29T10:00:00Z', level: 'error' });
    expect(out).not.toContain(JSON.stringify(secret).slice(1, -1));
  });

  test.each(withoutSecret)('leaves evidence alone: %j', (text) => {
    expect(redactor.redact(text)).toBe(text);
  });

  test('a window on a private key holds neither of its borders and is masked; one on a certificate whose beginning is shown, and digests, are not', () => {
    const draw = generator(64);
    const lines = Array.from({ length: 5 }, () =>
      draw('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 64),
    );
    const digests = Array.from({ length: 5 }, () => draw('0123456789abcdef', 64)).join('\n');
    for (const shown of [lines.join('\n'), lines.join('\r\n'), `first\n${lines.join('\n')}\ndone\n`]) {
      const out = redactor.redact(shown);
      expect(lines.filter((line) => out.includes(line))).toEqual([]);
      expect(out.includes('done')).toBe(shown.includes('done'));
    }
    const begun = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n`;
    expect(redactor.redact(begun)).toBe(begun);
    expect(redactor.redact(digests)).toBe(digests);
  });

  test('keeps key names, times and addresses round a secret', () => {
    const text = `2026-11-29T10:00:00Z 10.0.3.7 ERROR login failed user=app password=${password} host=db`;
    expect(redactor.redact(text)).toMatch(
      /^2026-11-29T10:00:00Z 10\.0\.3\.7 ERROR login failed user=app password=\[REDACTED:password:[0-9a-f]{4}\] host=db$/,
    );
  });

  test('a JSON document stays a JSON document, numbers included', () => {
    const text = JSON.stringify({ password: 12345678, nested: { apiKey: token, list: [{ token }] }, n: 1 });
    expect(JSON.parse(redactor.redact(text))).toMatchObject({ n: 1, nested: { list: [{}] } });
    expect(redactor.redact(text)).not.toContain('12345678');
  });

  test('the same secret has the same placeholder in a run and another one in the next run', () => {
    const text = `password=${password}`;
    const next = createRedactor({ secrets: [], key: 'run-2' });
    expect(redactor.redact(text)).toBe(redactor.redact(text));
    expect(redactor.redact(text)).not.toBe(next.redact(text));
  });

  test('reports the type of what it found, never the value', () => {
    const types: string[] = [];
    const counting = createRedactor({ secrets: [], key: 'k', onRedacted: (type) => types.push(type) });
    expect(counting.find(`password=${password} ok`).found).toEqual([{ type: 'password' }]);
    expect(types).toEqual(['password']);
    expect(counting.find('nothing here').found).toEqual([]);
  });

  test('a placeholder in front of a secret does not protect it', () => {
    expect(redactor.redact(`password=[REDACTED:password:0000]${token}`)).not.toContain(token);
  });
});

describe('the process itself holds secrets', () => {
  test.each([
    ['raw', known],
    ['JSON', JSON.stringify({ v: known })],
    ['JSON in JSON', JSON.stringify({ m: JSON.stringify({ v: known }) })],
    ['URL', `https://x/?v=${encodeURIComponent(known)}`],
    ...[0, 1, 2].map((n) => [`base64 at offset ${n}`, Buffer.from('x'.repeat(n) + known + 'tail').toString('base64')]),
    ['base64url', Buffer.from(`a${known}`).toString('base64url')],
  ])('which are masked in any form: %s', (_form, text) => {
    const out = redactor.redact(`odd context ${text}`);
    expect(out).toContain('[REDACTED:known-secret:');
    expect(out).not.toContain(known.slice(6, 26));
  });

  test('values too short to be told from words are not registered', () => {
    expect(redactor.redact('a short word')).toBe('a short word');
  });
});

test('redaction is idempotent and total for any text', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      'password',
      'token',
      'key',
      ':',
      '=',
      ' ',
      '"',
      '\\"',
      "'",
      '\n',
      '@',
      '://',
      'Bearer ',
      '&',
      ';',
      '[REDACTED:token:ab12]',
      token,
      password,
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const once = redactor.redact(pieces.join(''));
      expect(redactor.redact(once)).toBe(once);
    }),
    { numRuns: 500 },
  );
});

test('JSON stays JSON with the same keys, whatever its texts are', () => {
  const name = fc.constantFrom(
    'password',
    'apiKey',
    'token',
    'authorization',
    'cookie',
    'auth',
    'url',
    'cmd',
    'note',
    'data',
    'kind',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      token,
      `Bearer ${token}`,
      `a="${password}"`,
      `u:${token}@h`,
      `postgres://u:${password}@h/d`,
      'Secret',
      '\\',
      '"',
      '{"',
    ),
    fc
      .array(fc.constantFrom('password', '=', ':', ' ', '"', '\\', token, "'", '\n', '<', '>', '{', '}', '@', '://'), {
        maxLength: 8,
      })
      .map((list) => list.join('')),
  );
  const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
  const tree = fc.dictionary(
    name,
    fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(name, leaf, { maxKeys: 4 })),
    { maxKeys: 5 },
  );
  const shape = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shape)
      : value && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]))
        : 0;
  fc.assert(
    fc.property(tree, fc.boolean(), (value, isNested) => {
      const inner = JSON.stringify(value);
      const out = redactor.redact(isNested ? JSON.stringify({ msg: inner }) : inner);
      const parsed = JSON.parse(out) as { msg?: string };
      expect(shape(isNested ? JSON.parse(parsed.msg ?? '') : parsed)).toEqual(shape(value));
    }),
    { numRuns: 1500 },
  );
});

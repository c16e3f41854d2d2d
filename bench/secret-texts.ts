import { pick, seededRandom } from './seeded-random.ts';

/**
 * Invented texts with a secret, and texts that only look like it. Built from pieces at run time: literal ones would trip every scanner of the
 * repository. None was ever valid.
 */
export interface SecretText {
  readonly family: string;
  readonly text: string;
  readonly secret: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const ALNUM = `${LOWER}${LOWER.toUpperCase()}${DIGITS}`;
const BASE64URL = `${ALNUM}-_`;

/** Joins what must not stand together in the source. */
const glue = (...pieces: readonly string[]): string => pieces.join('');
const PRIVATE_KEY = glue('RSA PRIVATE ', 'KEY');
const CHAT_HOST = glue('hooks.sl', 'ack.com');

interface Draw {
  readonly of: (alphabet: string, length: number) => string;
  readonly alnum: (length: number) => string;
  readonly hex: (length: number) => string;
  readonly word: () => string;
  /** What people and generators choose: mixed characters, or words with a digit. */
  readonly password: () => string;
}

export function drawFrom(seed: number): Draw {
  const random = seededRandom(seed);
  const of = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('');
  const alnum = (length: number) => `${of(ALNUM, length - 3)}${of(LOWER, 1)}${of(DIGITS, 2)}`;
  const word = () => of(LOWER, 6);
  const password = () =>
    pick(random, [
      () => alnum(14),
      () => `${of(ALNUM, 9)}!${of(DIGITS, 2)}${of(LOWER, 3)}`,
      () => `${word()}-${word().toUpperCase()}-${of(DIGITS, 2)}`,
    ])();
  return { of, alnum, hex: (length) => of(HEX, length), word, password };
}

/** Where no name tells what the token is. */
const NEUTRAL = [
  (token: string) => `10:12:01 WARN worker-3 rejected ${token} from 10.0.3.7`,
  (token: string) => `level=info msg="using ${token}" took=12ms`,
  (token: string) => `found (${token}) in line 7`,
];

type Make = (secret: string, draw: Draw) => string;

/** Tokens that announce themselves: what they begin with, the alphabet and the length of the rest. */
const TOKENS: readonly (readonly [beginning: string, alphabet: string, length: number, end?: string])[] = [
  [glue('AK', 'IA'), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16],
  [glue('gh', 'p_'), ALNUM, 36],
  [glue('gl', 'pat-'), BASE64URL, 20],
  [glue('xo', 'xb-'), DIGITS, 40],
  [glue('sk', '_live_'), ALNUM, 24],
  [glue('s', 'k-proj-'), BASE64URL, 80],
  [glue('hv', 's.'), ALNUM, 24],
  [glue('np', 'm_'), ALNUM, 36],
  [glue('gs', 'k_'), ALNUM, 52],
  [glue('hf', '_'), ALNUM, 34],
  [glue('pc', 'sk_'), ALNUM, 6, `_${glue('a1', 'B2').repeat(15)}`],
  [glue('dop', '_v1_'), HEX, 64],
  [glue('sb', 'p_'), HEX, 40],
  [glue('fo', '1_'), BASE64URL, 43],
  [glue('xkey', 'sib-'), HEX, 64, '-a1b2c3d4e5f6g7h8'],
  [glue('ml', 'sn.'), HEX, 64],
  [glue('sq', 'u_'), HEX, 40],
  [glue('ruby', 'gems_'), HEX, 48],
  [glue('CFP', 'AT-'), BASE64URL, 43],
  [glue('AGE-', 'SECRET-KEY-1'), 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58],
];

const ASSIGNMENTS: readonly (readonly [name: string, make: Make])[] = [
  ['environment', (s) => `export DB_PASSWORD='${s}'`],
  ['properties', (s) => `spring.datasource.password = ${s}`],
  ['YAML', (s) => `redis:\n  auth:\n    password: "${s}"\n    port: 6379`],
  ['JSON', (s) => JSON.stringify({ user: 'app', clientSecret: s, port: 5432 })],
  ['JSON in JSON', (s) => JSON.stringify({ msg: JSON.stringify({ m: JSON.stringify({ apiKey: s, n: 1 }) }) })],
  ['HTML entities', (s) => `{&quot;password&quot;:&quot;${s}&quot;}`],
  ['struct of Go', (s) => `{Host:db Port:5432 Password:${s} TLS:true}`],
  ['record of Java', (s) => `LoginRequest(username=bob, password=${s}, remember=true)`],
  ['hash of Ruby', (s) => `Parameters: {"user"=>{"email"=>"a@b.c", "password"=>"${s}"}}`],
  ['option of Rust', (s) => `Config { user: "app", password: Some("${s}"), n: 1 }`],
  ['definition of PHP', (s) => `define('DB_PASSWORD', '${s}');`],
  ['dump of PHP', (s) => `["password"]=>\n  string(14) "${s}"`],
  ['dotted pair', (s) => `(password . "${s}")`],
  ['typed constant', (s) => `const password: string = "${s}";`],
  ['table', (s) => `| password | ${s.replaceAll('-', 'x')} |`],
  ['XML attribute', (s) => `<add key="ApiSecret" value="${s}" />`],
  ['form field', (s) => `<input value="${s}" type="hidden" name="csrf_token">`],
  ['environment of a pod', (s) => `- name: DB_PASSWORD\n  value: "${s}"`],
  ['value before its name', (s) => JSON.stringify({ value: s, name: 'API_TOKEN' })],
  ['difference', (s) => `~ password = "an-old-one-1" -> "${s}"`],
];

const PLACES: readonly (readonly [name: string, make: Make])[] = [
  ['header', (s) => `> Authorization: Bearer ${s}`],
  ['header of its own', (s) => `{"X-Acme-Webhook-Secret":["${s}"]}`],
  ['cookie', (s) => `Cookie: theme=dark; sessionid=${s}; lang=en`],
  ['query', (s) => `GET /v1/items?page=2&access_token=${s}&lang=en 200`],
  ['userinfo', (s) => `dial mysql://app:${s}@db-1.example.com:3306/shop failed`],
  ['driver', (s) => `dsn: app:${s}@tcp(db:3306)/shop`],
  ['connection string', (s) => `Server=db;Uid=app;Pwd=${s};Encrypt=yes;`],
  ['SQL', (s) => `CREATE USER app WITH LOGIN PASSWORD '${s}'`],
  ['row', (s) => `INSERT INTO users (name, password) VALUES ('bob', '${s}')`],
  ['option', (s) => `mysqldump --user=root --password=${s} shop`],
  ['attached option', (s) => `mysql -uroot -p${s} -h db`],
  ['user and password', (s) => `curl -sSu "svc:${s}" https://x`],
  ['unknown program', (s) => `shopctl -u admin -p ${s.replaceAll('-', 'x')} orders list`],
  ['standard input', (s) => `echo '${s}' | docker login -u bob --password-stdin`],
  ['netrc', (s) => `machine x\n  login bob\n  password ${s}\n`],
  ['sentence', (s) => `Password for user alice is ${s.replaceAll('-', 'X')}, please rotate`],
  ['other language', (s) => `Ihr neues Passwort lautet ${s.replaceAll('-', 'X')}`],
  ['unspaced script', (s) => `用户 root 的密码是 ${s.replaceAll('-', 'X')}`],
  ['Kubernetes', (s) => `apiVersion: v1\nkind: Secret\nstringData:\n  config: ${s}\nmetadata:\n  name: x`],
];

const OBJECTS: readonly (readonly [name: string, make: (draw: Draw) => readonly [text: string, secret: string]])[] = [
  ['private key', (d) => blockOf(PRIVATE_KEY, d.of(ALNUM, 64))],
  ['end of a private key', (d) => tailOf(d.of(ALNUM, 64))],
  ['web key', (d) => webKeyOf(d.of(BASE64URL, 43), d.of(BASE64URL, 43))],
  ['password hash', (d) => hashOf(`$6$${d.alnum(16)}$${d.alnum(86)}`)],
  ['one-time code', (d) => codeOf(d.of(DIGITS, 6))],
  ['chat webhook', (d) => hookOf(d.alnum(24))],
];

const blockOf = (label: string, body: string) =>
  [`-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`, body] as const;
const tailOf = (body: string) => [`${body}\n${body.slice(0, 20)}==\n-----END ${PRIVATE_KEY}-----`, body] as const;
const webKeyOf = (x: string, d: string) => [JSON.stringify({ kty: 'EC', crv: 'P-256', x, d }), d] as const;
const hashOf = (hash: string) => [`root:${hash}:19700:0:99999:7:::`, hash] as const;
const codeOf = (code: string) => [`Your verification code is ${code}`, code] as const;
const hookOf = (path: string) => [`POST https://${CHAT_HOST}/services/T0ABCDEFG/B0ABCDEFGH/${path} 200`, path] as const;

/** Every format, `rounds` times with other values. */
export function secretTexts(seed: number, rounds: number): readonly SecretText[] {
  const draw = drawFrom(seed);
  const tokens = (): SecretText[] =>
    TOKENS.map(([beginning, alphabet, length, end = ''], index) => {
      const secret = `${beginning}${draw.of(alphabet, length)}${end}`;
      return { family: `token ${beginning}`, text: (NEUTRAL[index % NEUTRAL.length] ?? String)(secret), secret };
    });
  const named = (list: typeof ASSIGNMENTS): SecretText[] =>
    list.map(([family, make]) => {
      const drawn = draw.password();
      const text = make(drawn, draw);
      return {
        family,
        text,
        secret: [drawn, drawn.replaceAll('-', 'x'), drawn.replaceAll('-', 'X')].find((s) => text.includes(s)) ?? drawn,
      };
    });
  const objects = (): SecretText[] =>
    OBJECTS.map(([family, make]) => {
      const [text, secret] = make(draw);
      return { family, text, secret };
    });
  return Array.from({ length: rounds }, () => [
    ...tokens(),
    ...named(ASSIGNMENTS),
    ...named(PLACES),
    ...objects(),
  ]).flat();
}

/** Evidence that a careless rule would destroy. */
export function lookAlikes(seed: number): readonly string[] {
  const { hex, alnum, of } = drawFrom(seed);
  const uuid = `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  return [
    `trace_id=${hex(32)} span_id=${hex(16)}`, `traceparent: 00-${hex(32)}-${hex(16)}-01`, `X-Request-Id: ${uuid}`, `commit ${hex(40)}`,
    `image: ghcr.io/acme/shop@sha256:${hex(64)}`, `"integrity": "sha512-${of(ALNUM, 86)}=="`, `ETag: "${hex(32)}"`, `pod/auth-token-rotator-${hex(9)}-${of(LOWER, 5)}`,
    `arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-password-${alnum(6)}`, `SHA256:${of(ALNUM, 43)} bob@host (ED25519)`, `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5${of(ALNUM, 48)} deploy`,
    `-----BEGIN CERTIFICATE-----\n${of(ALNUM, 64)}\n-----END CERTIFICATE-----`, `Idempotency-Key: ${hex(32)}`, `Sec-WebSocket-Key: ${of(ALNUM, 22)}==`, `idempotency_key=${uuid}`, `cache key=${hex(32)}`,
    `annotations:\n  checksum/secret: ${hex(64)}`, `x-amz-id-2: ${of(ALNUM, 75)}=`, `message key=order-42 partition=3`, `client_id=${hex(20)}`,
    'secretKeyRef: {name: db-credentials, key: password}', '- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: shop-db\n      key: password', 'existingSecret: shop-redis-auth',
    'MountVolume.SetUp failed for volume "db-secret" : secret "shop-db-credentials" not found', 'password_policy=strong token_count=512', '"max_tokens": 4096', 'tokenizer=bert-base-uncased', 'partition_key=customer_id',
    'routing_key=orders.created', 'key=user:123', 'token_type=bearer', 'token_endpoint: https://idp.example.com/oauth/token', 'PASSWORD_FILE=/run/secrets/pw', 'private_key_path=/etc/ssl/private/key.pem',
    'PASS: TestLogin (0.02s)', 'boarding pass: gate 4', 'OLDPWD=/root', 'password= user=x', '"password":null,"x":1', '{"errors":{"password":"must be at least 12 characters"}}',
    "Access denied for user 'app'@'10.0.0.1' (using password: YES)", 'Failed password for invalid user oracle from 10.1.2.3 port 4242 ssh2', 'unexpected token < in JSON at position 0', 'Expected token: StringLiteral',
    'password=***REDACTED***', 'password = (sensitive value)', 'secret: (known after apply)', 'password: "{{ vault_db_password }}"', 'API_KEY=your_api_key_here', 'password = getenv("DB_PASSWORD")', 'password = var.db_password',
    'token: ${{ secrets.DEPLOY }}', 'this.token = token;', 'password VARCHAR(255) NOT NULL', 'https://user@example.com/repo', 'postgres://app:***@db/shop', 'rsync bob@h::mod/a', 'scp a bob@h:/tmp/b',
    'GET /v1/keys?prefix=user', 'kubectl get secret shop-db -n shop -o name', 'mysql -u root -p shop', 'ssh -l bob -p 2222 host', 'openssl req -passin env:PW', 'unzip -P', 'docker run -p 8080:80 nginx',
    'rate(http_requests_total{job="auth",handler="/token"}[5m]) > 0.5', 'i.s.InsidePaymentServiceImpl#117 [Inside Payment Service.pay]', 'Duplicate entry \'42\' for key \'PRIMARY\'', 'Passwort: erforderlich', '密码错误',
    'the token is refreshed every hour', 'credentials for registry ghcr.io refreshed', 'verification code sent', 'exit code=137', 'seed=1234567890', 'GPIO pin=17 mode=out', 'session closed for sessionid: 0x14ede63a5a70002',
    'webhook: https://kyverno-svc.kyverno.svc:443/validate/fail?timeout=10s', 'POST https://rootnote.example.com/webhooks/alertmanager 202',
  ]; // prettier-ignore
}

/** True when the secret, or eight characters of it in a row, stands in the text. */
export function isLeaked(text: string, secret: string): boolean {
  if (secret.length <= 8) return text.includes(secret);
  return Array.from({ length: secret.length - 7 }, (_, start) => secret.slice(start, start + 8)).some((piece) =>
    text.includes(piece),
  );
}

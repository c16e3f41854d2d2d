/**
 * What a name says about its value. `strong`: the value is a secret whatever it looks like. `weak`: the name is also used for harmless
 * things, so the value has to look random. `code`: short by nature (PINs, one-time codes), so digits are enough.
 */
export interface NameVerdict {
  readonly type: string;
  readonly strength: 'strong' | 'weak' | 'code';
}

/** `password` in the languages that operators write their settings and messages in; the whole word or its end. */
export const PASSWORD_WORDS =
  'password|passwd|passphrase|passcode|passwort|kennwort|wachtwoord|senha|contraseña|contrasena|contrasenya|motdepasse|hasło|haslo|lösenord|losenord|passord|kodeord|adgangskode|salasana|heslo|jelszó|jelszo|parolă|şifre|пароль|парол|κωδικός|密码|密碼|口令|パスワード|비밀번호|암호';

/** Finds the places worth a look. Stems, so that `dbPassword`, `DB_PASSWORD` and `pgpassword` are all seen. */
export const NAME_STEM = new RegExp(
  `pass|pwd|pw(?=["'\\s:=\\\\])|secret|token|key|cred|auth|signature|sig(?==)|hmac|session|sid(?==)|otp|jwt|mnemonic|verifier|psk|salt(?=["'\\s:=\\\\])|seed|phrase|community(?=["'\\s:=\\\\])|erlang.?cookie|dockerc|saml|code(?=[s"'\\\\=:])|pin(?=["'\\s:=\\\\])|appid=|login(?==)|webhook|honeycomb.team|sas(?=["'\\s:=_\\\\])|${PASSWORD_WORDS.split(
    '|',
  )
    .filter((word) => !word.startsWith('pass'))
    .join('|')}`,
  'gi',
);

const strong = (type: string): NameVerdict => ({ type, strength: 'strong' });
const weak = (type: string): NameVerdict => ({ type, strength: 'weak' });
const code = (type: string): NameVerdict => ({ type, strength: 'code' });

const PASSWORD = new RegExp(
  `^(?:[\\p{L}\\p{N}_]{0,30}(?:${PASSWORD_WORDS}|pwd)|pw|requirepass|masterauth|bindpw|rootpw|(?:db|user|root|admin|my|smtp|ldap|ftp|mail|bind|http|proxy|key|store)pw)$`,
  'u',
);
/** `SSHPASS`, `storepass`, but no English word. */
const GLUED_PASS = /^(?!(?:by|com|tres|sur|over|under|encom|out|re|im)pass$)\w{1,16}pass$/;
const TOKEN = /^\w{0,30}(?:token|jwt|authtok)s?$/;
const SECRET = /^(?:\w{0,30}secret|secrets)$/;
const CREDENTIAL = /^(?:credentials?|creds?)$/;
const SESSION = /^(?:sessionid|[jp]\w{0,4}sess\w{0,4}id|sid)$/;
const CREDENTIAL_KEY =
  /^\w{0,12}(?:api|secret|private|access|auth|account|license|signing|encryption|master|preshared)keys?$/;
const WEAK_CREDENTIAL_KEY =
  /^(?:app|application|client|consumer|deploy|integration|routing|service|session|shared|storage|subscription|user|webhook|instrumentation)key$/;
/** `… key` opens something after these words, whatever its value looks like; after any other word the value decides. */
const OPENING =
  /^(?:api|private|secret|access|signing|encryption|decryption|account|auth|master|license|hmac|preshared|shared|unseal|recovery|root|psk|instrumentation)$/;
/** `… key` after these words is a place in a data structure, or public. */
const HARMLESS_KEY =
  /^(?:public|publishable|cache|partition|idempotency|foreign|sort|hash|group|object|row|dedup|deduplication|lock|index|websocket|socket|host|map|json|label|message|s3|kms|event|record|shard|registry|primary|unique|composite|request|snapshot|bucket|blob|file|path|topology|state|metric|feature|flag|translation|i18n|query|search|trace|span|storage)$/;
const HARMLESS_TOKEN =
  /^(?:lock|unexpected|cancel|cancellation|continue|continuation|resume|paging|page|next|pagination|fencing|sync|delta|prev|cursor)$/;
/** Words after the telling one that do not change what it tells: `DB_PASSWORD_PROD`, `client-key-data`. */
const NEUTRAL_ENDING =
  /^(?:\d{1,4}|v\d|value|base|base64|b64|data|raw|plain|plaintext|cleartext|text|string|str|literal|old|new|current|previous|prod|production|staging|dev|test|live|main|default|primary|secondary|env|hash|hashed|encoded|bytes|hex|in|confirm|confirmation|repeat|again|pbkdf2)$/;
/** `--ask-pass`, `has_password`, `showToken`: questions about a secret. */
const ASKS = /^(?:ask|prompt|has|is|no|show|hide|require[sd]?|skip|forgot)$/;
const ONE_TIME = /^(?:otp|totp|mfa|2fa|pin|passcode|cvv)$/;
const ONE_TIME_CODE =
  /^(?:verification|recovery|backup|otp|totp|mfa|2fa|security|confirmation|login|reset|activation|pairing|scratch|unlock|puk)$/;
/** Seeds and salts that a secret is derived from, unlike the seeds of random numbers and of data. */
const DERIVES =
  /^(?:totp|otp|mfa|2fa|wallet|recovery|hd|bip39|master|auth|password|secure|secret|key|logged|nonce|hash|session|cookie|app)$/;

/**
 * The verdict on a whole name (`spring.datasource.password`, `X-Api-Key`, `keyStorePassword`); undefined when it names no secret.
 * The last words decide: `db_password` holds a secret, `password_policy` does not.
 */
export function judgeName(name: string): NameVerdict | undefined {
  const words = wordsOf(name);
  while (words.length > 1 && NEUTRAL_ENDING.test(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (/^tf_token_/i.test(name)) return strong('token');
  if (/^no(?:pass|passwd|password)$/.test(last)) return undefined;
  if (words.length > 1 && ASKS.test(words[0] ?? ''))
    return PASSWORD.test(last) || TOKEN.test(last) ? weak('token') : undefined;
  if (last === 'pass') return words.length > 1 ? strong('password') : weak('passphrase');
  if (PASSWORD.test(last) || GLUED_PASS.test(last) || (last === 'passe' && before === 'de')) return strong('password');
  if (TOKEN.test(last)) return HARMLESS_TOKEN.test(before) ? undefined : strong('token');
  if (SECRET.test(last)) return strong('secret');
  if (CREDENTIAL.test(last)) return strong('credential');
  if (CREDENTIAL_KEY.test(last)) return strong('api-key');
  if (WEAK_CREDENTIAL_KEY.test(last)) return weak('api-key');
  if (last === 'key' || last === 'keys') return judgeKey(before);
  return judgeRarer(last, before, /^(?:ssl|tls)$/.test(words[0] ?? ''));
}

/** `isOfHandshake`: a session of TLS, whose id is sent in the clear. */
function judgeRarer(last: string, before: string, isOfHandshake: boolean): NameVerdict | undefined {
  if (last === 'mnemonic' || last === 'psk' || last === 'dockerconfigjson' || last === 'dockercfg')
    return strong('secret');
  if (last === 'verifier' && before === 'code') return strong('secret');
  if (last === 'phrase' && /^(?:seed|recovery|pass|secret|mnemonic|backup)$/.test(before)) return strong('password');
  if ((last === 'salt' || last === 'seed') && DERIVES.test(before)) return strong('secret');
  if ((last === 'salt' && before === '') || (last === 'team' && before === 'honeycomb')) return weak('secret');
  if (last === 'cookie' && before === 'erlang') return strong('secret');
  if (last === 'signature' && before === 'access') return weak('signature');
  if (/^(?:samlresponse|samlrequest|samlart)$/.test(last) || (last === 'response' && before === 'saml'))
    return weak('assertion');
  if (last === 'auth' || last === 'login') return weak('credential');
  if (last === 'hmac' || last === 'community') return weak('secret');
  if (SESSION.test(last) || (last === 'id' && before === 'session')) return isOfHandshake ? undefined : weak('session');
  if (ONE_TIME.test(last)) return code(last === 'pin' ? 'pin' : 'one-time-code');
  if (/^codes?$/.test(last) && ONE_TIME_CODE.test(before)) return code('one-time-code');
  return undefined;
}

/** A word that is a telling name itself and no value: `--secret dbPassword …`. */
export function isNameAlone(value: string): boolean {
  return /^[A-Za-z]{4,30}$/.test(value) && judgeName(value)?.strength === 'strong';
}

/** Query parameters are named more tersely than settings: `key`, `sig` and `code` carry credentials there. */
export function judgeQueryName(name: string): NameVerdict | undefined {
  if (
    /^(?:key|code|sig|signature|x-(?:amz|goog|oss|cos)-signature|hmac|hash|appid|auth|ticket|sign|otp|state_token)$/i.test(
      name,
    )
  )
    return weak('signature');
  return judgeName(name);
}

function judgeKey(kind: string): NameVerdict | undefined {
  if (kind === '' || HARMLESS_KEY.test(kind)) return undefined;
  return OPENING.test(kind) ? strong('api-key') : weak('api-key');
}

/** `keyStorePassword` → key, store, password; `DB_PASSWORD` → db, password; `AWSSecretKey` → aws, secret, key. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

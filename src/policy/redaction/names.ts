/**
 * What a name says about its value. `strong`: the value is a secret whatever it looks like. `weak`: the name is also used for harmless
 * things, so the value has to look random.
 */
export interface NameVerdict {
  readonly type: string;
  readonly strength: 'strong' | 'weak';
}

/** Finds the places worth a look. Stems, so that `dbPassword`, `DB_PASSWORD` and `pgpassword` are all seen. */
export const NAME_STEM =
  /pass|pwd|pw(?=["'\s:=])|secret|token|key|cred|auth|signature|sig(?==)|session|sid(?==)|otp|jwt|mnemonic|verifier/gi;

const strong = (type: string): NameVerdict => ({ type, strength: 'strong' });
const weak = (type: string): NameVerdict => ({ type, strength: 'weak' });

const PASSWORD =
  /^(?:\w{0,30}(?:password|passwd|passphrase|passcode|passwort|pwd)|pw|pass|requirepass|masterauth|(?:db|user|root|admin|my|smtp|ldap|ftp|mail|bind|http|proxy|key|store)pw)$/;
/** `SSHPASS`, `storepass`, but no English word. */
const GLUED_PASS = /^(?!(?:by|com|tres|sur|over|under|encom|out|re)pass$)\w{1,16}pass$/;
const TOKEN = /^\w{0,30}(?:token|jwt)$/;
const SECRET = /^(?:\w{0,30}secret|secrets)$/;
const CREDENTIAL = /^(?:credentials?|creds?)$/;
const SESSION = /^(?:sessionid|[jp]\w{0,4}sess\w{0,4}id|sid|otp)$/;
const CREDENTIAL_KEY = /^(?:api|secret|private|access|auth|account|license|signing|encryption|master)key$/;
const WEAK_CREDENTIAL_KEY =
  /^(?:app|application|client|consumer|deploy|integration|routing|service|session|shared|storage|subscription|user|webhook)key$/;
/** `… key` opens something after these words, whatever its value looks like; after any other word the value decides. */
const OPENING = /^(?:api|private|secret|access|signing|encryption|account|auth|master|license|hmac)$/;
/** `… key` after these words is a place in a data structure, or public. */
const HARMLESS_KEY =
  /^(?:public|publishable|cache|partition|idempotency|foreign|sort|hash|group|object|row|dedup|deduplication|lock|index|websocket|socket|host|map|json|label|message|s3|kms|event|record|shard|registry|primary|unique|composite|request)$/;
const HARMLESS_TOKEN = /^(?:lock|unexpected|cancellation|continuation|page|next|pagination|fencing|sync)$/;
/** Words after the telling one that do not change what it tells: `DB_PASSWORD_PROD`, `client-key-data`. */
const NEUTRAL_ENDING =
  /^(?:\d{1,4}|value|base|base64|b64|data|raw|plain|plaintext|text|string|old|new|current|previous|prod|production|staging|dev|test|live|main|default|primary|secondary|env|hash)$/;

/**
 * The verdict on a whole name (`spring.datasource.password`, `X-Api-Key`, `keyStorePassword`); undefined when it names no secret.
 * The last words decide: `db_password` holds a secret, `password_policy` does not.
 */
export function judgeName(name: string): NameVerdict | undefined {
  const words = wordsOf(name);
  while (words.length > 1 && NEUTRAL_ENDING.test(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (PASSWORD.test(last) || GLUED_PASS.test(last)) return strong('password');
  if (last === 'mnemonic' || (last === 'verifier' && before === 'code')) return strong('secret');
  if (TOKEN.test(last)) return HARMLESS_TOKEN.test(before) ? undefined : strong('token');
  if (SECRET.test(last)) return strong('secret');
  if (CREDENTIAL.test(last)) return strong('credential');
  if (CREDENTIAL_KEY.test(last)) return strong('api-key');
  if (WEAK_CREDENTIAL_KEY.test(last)) return weak('api-key');
  if (last === 'key') return judgeKey(before);
  if (last === 'auth') return weak('credential');
  if (SESSION.test(last) || (last === 'id' && before === 'session')) return weak('session');
  return undefined;
}

/** Query parameters are named more tersely than settings: `key`, `sig` and `code` carry credentials there. */
export function judgeQueryName(name: string): NameVerdict | undefined {
  if (/^(?:key|code|sig|signature|x-(?:amz|goog)-signature|hmac)$/i.test(name)) return weak('signature');
  return judgeName(name);
}

function judgeKey(kind: string): NameVerdict | undefined {
  if (kind === '' || HARMLESS_KEY.test(kind)) return undefined;
  return OPENING.test(kind) ? strong('api-key') : weak('api-key');
}

/** `keyStorePassword` → key, store, password; `DB_PASSWORD` → db, password; `AWSSecretKey` → aws, secret, key. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

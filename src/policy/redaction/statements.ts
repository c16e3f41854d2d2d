import { isTaken, maskPlaced, placed, type PlacedValue } from './placed-values.ts';
import type { Mask, RedactionPass } from './placeholder.ts';

/** Languages and protocols in which the place decides, not the name before an equals sign. */
export const STATEMENTS: readonly PlacedValue[] = [
  // netrc: login and password, on one line or two.
  placed(/login/i, /(\blogin[ \t]{1,8}[^\s"']{1,128}(?:\s|\\n){1,8}password[ \t]{1,8})([^\s"'\\]{1,512})/gi),
  // SQL: accounts and their passwords.
  placed(
    /identified/i,
    /(\bidentified[ \t]{1,4}(?:with[ \t]{1,4}\S{1,64}[ \t]{1,4})?(?:by|as)[ \t]{1,4}(?:password[ \t]{1,4})?\\{0,3}['"])([^'"\n\\]{1,512})/gi,
  ),
  placed(
    /identified/i,
    /(\bidentified[ \t]{1,4}by[ \t]{1,4}(?!values\b|password\b|random\b|externally\b|globally\b|['"\\]))([^\s"';\\]{4,128})/gi,
  ),
  placed(
    /password/i,
    /(\bpassword(?:[ \t]{1,4}|[ \t]{0,4}=[ \t]{0,4}N?|[ \t]{0,4}\([ \t]{0,4})\\{0,3}')((?:[^'"\n\\]|\\[^n]){1,512})/gi,
  ),
  placed(
    /\.auth\(/,
    /(\.auth\([ \t]{0,4}\\{0,3}["'][^"'\\\n]{1,64}\\{0,3}["'][ \t]{0,4},[ \t]{0,4}\\{0,3}["'])([^"'\\\n]{1,256})/g,
  ),
  // Oracle's `user/password@database`.
  placed(
    /sqlplus|expdp|impdp|rman|sqlldr|oracle:|CONN/,
    /(\b(?:(?:sqlplus|expdp|impdp|rman|sqlldr|CONN(?:ECT)?)[ \t]{1,4}(?:-\w{1,4}[ \t]{1,4}){0,3}(?:userid=)?|oracle:\w{1,8}:)[\w$]{1,64}\/)([^\s@"']{1,128})(?=@)/g,
  ),
  // Commands of line protocols (Redis, SMTP, IMAP, POP, FTP), also quoted as monitors print them.
  placed(
    /AUTH|PASS|LOGIN|IDENTIFY/,
    /(?<![\w-])((?:AUTH|PASS|LOGIN|IDENTIFY)(?:\\{0,7}")?[ \t]{1,4}(?:(?:\\{0,7}")?[\w.@-]{1,64}(?:\\{0,7}")?[ \t]{1,4})?(?:\\{0,7}")?)([^\s"\\]{6,1024})/g,
    'chosen',
  ),
  placed(
    /SETUSER/i,
    /(\bACL[ \t]{1,4}SETUSER[ \t]{1,4}\S{1,64}[ \t]{1,4}(?:[\w~+@*&%-]{1,64}[ \t]{1,4}){0,6}[>#<])([^\s"'\\]{4,512})/gi,
  ),
  // `.pgpass`: host:port:database:user:password on a line of its own.
  placed(
    /:(?:\d{1,5}|\*):[^:\s]{1,64}:[^:\s]{1,64}:[^:\s]{8}/,
    /((?:^|["']|\\n)[\w.*-]{1,128}:(?:\d{1,5}|\*):[^:\s"']{1,64}:[^:\s"']{1,64}:)([^\s:"'\\]{8,256})(?=$|\\|["'])/gm,
    'chosen',
  ),
  // Postfix' sasl_passwd and mail relays: host, blank, user:password.
  placed(
    /@[\w.-]{1,128}:/,
    /((?:^|\\n)\[?[\w.-]{1,128}\]?(?::\d{1,5})?[ \t]{1,8}[\w.+-]{1,64}@[\w.-]{1,128}:)([^\s"'\\]{4,256})(?=[ \t]{0,4}(?:$|\\n))/gm,
    'chosen',
  ),
  // Network devices and daemons.
  placed(
    /community/i,
    /(\b(?:snmp-server[ \t]{1,4}community|(?:ro|rw)community6?|com2sec[ \t]{1,4}\S{1,64}[ \t]{1,4}\S{1,64}|set[ \t]{1,4}snmp[ \t]{1,4}community)[ \t]{1,4})([^\s"'\\;]{3,128})/gi,
  ),
  placed(
    /(?:secret|password|key)[ \t]+\d/,
    /(\b(?:enable[ \t]{1,4})?(?:secret|password|key|key-string|auth-key)[ \t]{1,4}[0-9][ \t]{1,4})(?=\S{0,40}[\d$])([^\s"'\\]{6,256})/g,
    'chosen',
  ),
  placed(/\bPSK\b/, /(:[ \t]{1,4}PSK[ \t]{1,4}\\{0,3}["'])([^"'\\\n]{1,256})/g),
  placed(/WIFI:/, /(\bWIFI:(?:[STH]:[^;\s]{0,64};){0,4}P:)((?:[^;\\\s]|\\.){4,128})(?=;)/g),
  placed(/stats auth/, /(\bstats auth[ \t]{1,4}[\w.-]{1,64}:)([^\s"'\\]{1,256})/g),
  placed(/login=/, /(\blogin=[\w.-]{1,64}:)([^\s"'\\]{4,256})/g),
  placed(/auth-user-pass/, /(<auth-user-pass>(?:\r?\n|\\n)[^\n\\<]{1,128}(?:\r?\n|\\n))([^\n\\<]{1,256})/g),
  placed(/HashedControlPassword/, /(\bHashedControlPassword[ \t]{1,4})(16:[0-9A-F]{40,80})/g),
  placed(
    /ConvertTo-SecureString/i,
    /(\bConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?["'])([^"'\n]{1,255})(?=["'])/gi,
  ),
  placed(/\bsecret\b/i, /(\bsecret[ \t]{1,4}\\{0,3}")([A-Za-z0-9+/]{20,120}={0,2})(?=\\{0,3}")/gi, 'random'),
  placed(
    /-key|ospf|createUser|key-string|(?:tacacs|radius)-server/i,
    /(\b(?:pre-shared-key|message-digest-key|authentication-key|tacacs-server[ \t]{1,4}key|radius-server[ \t]{1,4}key|key-string|createUser[ \t]{1,4}\S{1,64})(?:[ \t]{1,4}(?:ascii-text|hexadecimal|local|remote|md5|sha\d{0,3}|AES|DES|\d{1,3})){0,3}[ \t]{1,4}\\{0,3}["']?)([^\s"'\\]{6,256})/gi,
    'chosen',
  ),
  placed(/\s-y\s/, /(\s-y[ \t]{1,4}(?:hmac-\w{1,10}:)?[\w.-]{1,128}:)([A-Za-z0-9+/]{16,128}={0,2})/g, 'random'),
  placed(/addauth/, /(\baddauth[ \t]{1,4}digest[ \t]{1,4}[\w.-]{1,64}:)([^\s"'\\]{4,256})/g),
  placed(
    /(?:-U|--user)[^\n]{1,70}%/,
    /((?<=\s)(?:-U|--user)[ \t=]{0,2}\\{0,3}["']?[\w.\\@-]{1,64}%)([^\s"'\\]{4,256})/g,
  ),
  // Build servers: values they are told to mask from then on.
  placed(
    /add-mask|issecret=true|setsecret/i,
    /(::add-mask::|\bissecret=true[^\]\n]{0,100}\]|task\.setsecret\])([^\s"'\\]{4,})/gi,
  ),
  // Honeypots, authentication traces and exceptions that print what was tried.
  placed(/login attempt/i, /(\blogin attempt[ \t]{1,4}\[(?:b')?[^/\]\n]{1,64}\/)([^\]\n]{4,128})(?=\])/gi),
  placed(
    /(?:credentials?|login|auth\w{0,12})\s?=?\s?\(/i,
    /((?:credentials?|login|auth\w{0,12})[ \t]?=?[ \t]?\((?:\\{0,3}["'][^"'\\\n]{0,128}\\{0,3}["'],[ \t]?){1,4}\\{0,3}["'])([^"'\\\n]{6,256})(?=\\{0,3}["']\))/gi,
    'chosen',
  ),
  placed(
    /sec-websocket-protocol/i,
    /(\bsec-websocket-protocol\\{0,3}["']?:[ \t]{0,4}\\{0,3}["']?(?:access_token|bearer|token|authorization),[ \t]{0,4})([\w.~+/=-]{16,4096})/gi,
    'random',
  ),
  placed(
    /(?:unseal|recovery) key \d/i,
    /((?:unseal|recovery) key \d{1,2}(?: \([\w ]{1,20}\))?:[ \t]{1,4})([\w+/=]{20,200})/gi,
    'random',
  ),
  placed(/New value:/, /(\bNew value:[ \t]{1,4})([^\s"'\\]{6,256})/g, 'chosen'),
  placed(
    /user_[\w.-]{1,64}=\\{0,3}["']/,
    /(\buser_[\w.-]{1,64}=\\{0,3}["'])([^"'\\\n]{4,256})(?=\\{0,3}["'])/g,
    'chosen',
  ),
  placed(/BUNDLE_/, /(\bBUNDLE_[A-Z0-9_]{3,100}: {1,4}\\{0,3}["']?[\w.-]{1,64}:)([^\s"'\\]{6,256})/g),
  placed(
    /secret[_ -]?id/i,
    /(\bsecret[_ -]?id\\{0,7}["']?[ \t]{0,20}[:=][ \t]{0,20}\\{0,7}["']?)([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})/gi,
  ),
  placed(
    /(?:crypt|sign)\w{0,4}\s{1,2}with/i,
    /(\b(?:de|en)?(?:crypt|sign)\w{0,4}[ \t]{1,2}with[ \t]{1,2}(?:the[ \t]{1,2})?(?:key|secret)[ \t:]{1,3})([\w+/=-]{24,256})/gi,
    'random',
  ),
  placed(
    /getConnection\(/,
    /(\bgetConnection\([^()\n"]{0,200}"[^"\\\n]{0,200}",[ \t]?\\{0,3}")([^"\\\n]{4,256})(?=\\{0,3}")/g,
  ),
  placed(
    /chpasswd:/,
    /(\bchpasswd:(?:\s|\\n){1,20}(?:expire:[^\n\\]{1,20}(?:\s|\\n){1,20})?list:[ \t]{0,4}[|>]?-?(?:\s|\\n){1,20}[\w.-]{1,64}:)([^\s"'\\]{4,256})/g,
  ),
  placed(/\s-b\s/, /(\s-b[ \t]{1,4}\\{0,3}["']?[\w.-]{1,64}=)([^\s"';\\]{12,4096})/g, 'random'),
  placed(/encrypt_string/, /(\bencrypt_string[ \t]{1,4}["']?)([^\s"'-][^\s"']{3,255})/g),
  placed(/rootpw/, /(\brootpw[ \t]{1,4}(?:--\w{1,20}[ \t]{1,4}){0,3})([^\s"'-][^\s"']{3,255})/g),
  placed(/clear-?text=/i, /(\bclear-?text=\\{0,3}["'])([^"'\\\n]{4,256})/gi),
  // Traces of system calls and of processes: arguments one by one.
  placed(/"-[pP]\w/, /("-[pP])([^"\\\s]{8,256})(?=")/g, 'chosen'),
  placed(/"-u"/, /("-u",?[ \t]{1,4}(?:a\d{1,3}=)?"[\w.@-]{1,64}:)([^"\\\s]{4,256})(?=")/g),
  // `aws_access_key_id,aws_secret_access_key` as a table: the row under the heading.
  placed(
    /secret access key/i,
    /(secret access key[^\n\\]{0,80}(?:\r?\n|\\n)(?:[^\n\\,]{0,128},){1,6}?)([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])/gi,
  ),
];

/** `INSERT INTO users (name, password) VALUES ('bob', '…')`: the name stands in one list, the value in another. */
const INSERT =
  /(\binsert[ \t]{1,4}into[ \t]{1,4}[^\s(]{1,128}[ \t]{0,4}\()([^()]{1,1024})(\)\s{0,8}values\s{0,8}\()([^()]{1,4096})/gi;
const SECRET_COLUMN = /pass(?:word|wd|phrase)|secret|token|api_?key|private_?key/i;
const SQL_VALUE = /\\{0,3}'(?:[^'\\]|''|\\(?!')|\\'(?=[^,)\s]))*\\{0,3}'|[^,]+/g;

export const statementPass: RedactionPass = (text, mask) => {
  const redacted = maskPlaced(text, STATEMENTS, mask);
  return /insert/i.test(redacted) ? redacted.replace(INSERT, insert(mask)) : redacted;
};

function insert(mask: Mask) {
  return (all: string, head: string, columns: string, between: string, values: string): string => {
    const names = columns.split(',');
    const secret = names.map((name) => SECRET_COLUMN.test(name));
    if (!secret.includes(true)) return all;
    let index = 0;
    const masked = values.replace(SQL_VALUE, (value) => {
      const isSecret = secret[index++ % names.length];
      const inner = /^(\s*\\{0,3}')([^']{1,1024}?)(\\{0,3}'\s*)$/s.exec(value);
      if (!isSecret || !inner?.[2] || !isTaken(inner[2], 'whatever')) return value;
      return `${inner[1]}${mask('password', inner[2])}${inner[3]}`;
    });
    return head + columns + between + masked;
  };
}

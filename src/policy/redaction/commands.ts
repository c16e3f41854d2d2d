import { maskPlaced, placed, type PlacedValue } from './placed-values.ts';
import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';
import { isHarmlessValue, looksChosen } from './values.ts';

/** How programs take a password without naming it. `attached` options glue it to the letter, `separate` ones take the next word. */
interface Program {
  readonly attached?: string;
  readonly separate?: string;
  /** The word after the option is `user:password`. */
  readonly userinfo?: string;
}

const MYSQL: Program = { attached: 'p' };
const SNMP: Program = { separate: 'cAX' };
const PROGRAMS: Readonly<Record<string, Program>> = {
  mysql: MYSQL,
  mysqldump: MYSQL,
  mysqladmin: MYSQL,
  mysqlimport: MYSQL,
  mysqlcheck: MYSQL,
  mysqlshow: MYSQL,
  mariadb: MYSQL,
  'mariadb-dump': MYSQL,
  'mariadb-admin': MYSQL,
  mydumper: { separate: 'p' },
  curl: { userinfo: 'uU' },
  ab: { userinfo: 'AP' },
  lftp: { userinfo: 'u' },
  mosquitto_pub: { separate: 'P' },
  mosquitto_sub: { separate: 'P' },
  ncftpput: { separate: 'p' },
  ncftpget: { separate: 'p' },
  http: { userinfo: 'a' },
  https: { userinfo: 'a' },
  ldapsearch: { separate: 'w', attached: 'w' },
  ldapmodify: { separate: 'w', attached: 'w' },
  ldapadd: { separate: 'w', attached: 'w' },
  ldapwhoami: { separate: 'w', attached: 'w' },
  'redis-cli': { separate: 'a' },
  'valkey-cli': { separate: 'a' },
  sshpass: { separate: 'p', attached: 'p' },
  mongo: { separate: 'p' },
  mongosh: { separate: 'p' },
  mongodump: { separate: 'p' },
  mongorestore: { separate: 'p' },
  docker: { separate: 'p' },
  podman: { separate: 'p' },
  helm: { separate: 'p' },
  az: { separate: 'p' },
  doctl: { separate: 't' },
  sqlcmd: { separate: 'P', attached: 'P' },
  bcp: { separate: 'P', attached: 'P' },
  cqlsh: { separate: 'p' },
  twine: { separate: 'p' },
  oc: { separate: 'p' },
  argocd: { separate: 'p' },
  'elasticsearch-users': { separate: 'p' },
  psexec: { separate: 'p' },
  PsExec: { separate: 'p' },
  '7z': { attached: 'p' },
  '7za': { attached: 'p' },
  rar: { attached: 'p' },
  unrar: { attached: 'p' },
  zip: { separate: 'P', attached: 'P' },
  unzip: { separate: 'P', attached: 'P' },
  isql: { separate: 'P', attached: 'P' },
  rabbitmqadmin: { separate: 'p' },
  smbclient: { userinfo: 'U' },
  ipmitool: { separate: 'P' },
  snmpget: SNMP,
  snmpset: SNMP,
  snmpwalk: SNMP,
  snmpbulkwalk: SNMP,
  snmptrap: SNMP,
};
const NAMES = Object.keys(PROGRAMS).sort((a, b) => b.length - a.length);
/** Programs whose short option means something else outside `login`. */
const ONLY_AT_LOGIN = /^(?:docker|podman|helm|az|oc)$/;
const PROGRAM = new RegExp(`(?<![\\w-])(${NAMES.join('|')})(?=[ \\t])`, 'g');
const COMMAND_END = /[\n|;&]|\\n/;
const LONGEST_COMMAND = 1024;
/** `-p`, or the last letter of a cluster, then the word it takes. */
const OPTION =
  /((?<=\s)-([A-Za-z]))([ \t]{1,4}|)((?:"[^"\n]{1,256}"|'[^'\n]{1,256}'|[^\s"'\\-])(?:[^\s"'\\]|\\(?!["'\\nrt])){0,256})/g;

/** Programs that take a secret by its place, or by an option of several letters. Group 1 stays. */
export const BY_PLACE: readonly PlacedValue[] = [
  placed(
    /\bcurl\s/,
    /(\bcurl\b[^\n|;&]{0,400}?[ \t]-[A-Za-z]{1,6}[uU][ \t]{0,4}\\{0,3}["']?[\w.@-]{1,64}:)([^\s"'\\]{1,512})/g,
  ),
  placed(
    /vault\s/,
    /(\bvault[ \t]{1,4}(?:login|operator[ \t]{1,4}unseal|unwrap)[ \t]{1,4}(?:-[^\s"']{1,64}[ \t]{1,4}){0,4})([^\s"'=-][^\s"'=]{5,255}={0,2})/g,
  ),
  placed(
    /change_password|_user/,
    /(\b(?:change_password|add_user|authenticate_user)[ \t]{1,4}[^\s"']{1,64}[ \t]{1,4})([^\s"']{4,255})/g,
  ),
  placed(
    /htpasswd/,
    /(\bhtpasswd[ \t]{1,4}(?=(?:-\w{1,8}[ \t]{1,4}){0,4}-\w{0,8}b)(?:-\w{1,8}[ \t]{1,4}){1,5}(?:[^\s"'-][^\s"']{0,255}[ \t]{1,4})??[^\s"'/.-][^\s"'/]{0,63}[ \t]{1,4})([^\s"'/]{4,255})(?=["']?[ \t]{0,4}(?:$|[\n|;&>\\]))/gm,
  ),
  placed(
    /\bmc\s/,
    /(\bmc[ \t]{1,4}(?:alias|config[ \t]{1,4}host)[ \t]{1,4}(?:set|add)[ \t]{1,4}(?:[^\s"']{1,255}[ \t]{1,4}){3})([^\s"']{8,255})/g,
  ),
  placed(
    /openssl\s/,
    /(\bopenssl[ \t]{1,4}(?:enc|aes\S{0,12}|des\S{0,8})[ \t][^\n|;&]{0,200}?[ \t]-(?:k|K|iv|pass)[ \t]{1,4}(?:pass:)?)([^\s"'-][^\s"']{3,255})/g,
  ),
  placed(/-pass/, /(?<=\s)(-pass(?:in|out)?[ \t]{1,4}\\{0,3}["']?pass:)([^\s"'\\]{1,255})/g),
  placed(
    /aws\s+configure/,
    /(\baws[ \t]{1,4}configure[ \t]{1,4}set[ \t]{1,4}(?:[\w.-]{1,80}\.)?aws_(?:secret_access_key|session_token)[ \t]{1,4})([^\s"']{8,2048})/g,
  ),
  placed(
    /SecureString/,
    /(\bssm[ \t]{1,4}put-parameter\b(?=[^\n|;&]{0,400}SecureString)[^\n|;&]{0,400}?--value[ =]["']?)([^\s"']{1,4096})/g,
  ),
  placed(
    /put-secret-value/,
    /(\bput-secret-value\b[^\n|;&]{0,400}?--secret-(?:string|binary)[ =]["']?)([^\s"']{1,4096})/g,
  ),
  placed(/create-secret/, /(\bcreate-secret\b[^\n|;&]{0,400}?--secret-(?:string|binary)[ =]["']?)([^\s"']{1,4096})/g),
  placed(
    /secrets? set/,
    /(\b(?:keyvault[ \t]{1,4}secret[ \t]{1,4}set|secret(?:s)?[ \t]{1,4}set)\b[^\n|;&]{0,400}?--(?:value|body)[ =]["']?)([^\s"']{1,4096})/g,
  ),
  placed(
    /gh secret/,
    /(\bgh[ \t]{1,4}secret[ \t]{1,4}set[ \t]{1,4}[\w-]{1,80}[ \t][^\n|;&]{0,200}?(?:-b|--body)[ =]?["']?)([^\s"']{1,4096})/g,
  ),
  placed(
    /npm config/,
    /(\bnpm[ \t]{1,4}config[ \t]{1,4}set[ \t]{1,4}\S{0,128}:_(?:authToken|auth|password)[ \t=]{1,4})([^\s"']{6,2048})/g,
  ),
  // Package managers: `config [set] http-basic.NAME USER PASSWORD`, `config NAME-token.NAME TOKEN`, `config HOST USER:PASSWORD`.
  placed(
    /config\s/,
    /(\bconfig[ \t]{1,4}(?:set[ \t]{1,4})?(?:--?[\w-]{1,40}[ \t]{1,4}){0,4}(?:http-basic\.\S{1,128}[ \t]{1,4}[^\s"']{1,64}|[\w-]{1,40}-(?:token|oauth)\.\S{1,128}|[\w-]{1,40}(?:\.[\w-]{1,40}){1,6}[ \t]{1,4}[\w-]{1,64}(?=:))[ \t:]{1,4})([^\s"'-][^\s"']{5,2047})/g,
    'chosen',
  ),
  // Programs that are logged in with a token as their operand.
  placed(
    /(?:auth|login)\s/,
    /(?<![\w./-])((?:snyk|cargo|hcloud|wrangler|railway|supabase|hub|huggingface-cli|wandb|rover|doppler|infisical)[ \t]{1,4}(?:auth[ \t]{1,4})?(?:auth|login|token)[ \t]{1,4}(?:--?[\w-]{1,40}[ \t]{1,4}){0,3})([\w.+/=-]{16,2048})/g,
  ),
  placed(
    /\bnet\suse/i,
    /(\bnet[ \t]{1,4}user[ \t]{1,4}[^\s"'/]{1,64}[ \t]{1,4})([^\s"'/*][^\s"']{2,127})(?=[ \t]{1,4}\/add)/gi,
  ),
  placed(
    /\bnet\suse/i,
    /(\bnet[ \t]{1,4}use[ \t]{1,4}(?:\S{1,3}[ \t]{1,4})?\\{2,8}\S{1,128}[ \t]{1,4})([^\s"'/*][^\s"']{2,127})(?=[ \t]{1,4}\/user)/gi,
  ),
  placed(/\s\/(?:p\w{0,7}:|rp\s)/i, /(\s\/(?:(?:rp|p|pass|pwd|password|pw):|rp[ \t]{1,4}))([^\s"']{3,255})/gi),
  placed(/\s-pw\s/, /(\s-pw[ \t]{1,4})([^\s"'-][^\s"']{2,255})/g),
  placed(
    /--(?:\w{1,5}-)?(?:user|cred|auth|basic)/,
    /(\s--(?:proxy-|http-|ftp-)?(?:user|creds|auth|basic-auth|credentials)[= \t]\\{0,3}["']?[\w.@-]{1,64}:)([^\s"'\\]{1,512})/g,
  ),
  placed(
    /--(?:oauth|bearer|pass|require|master|sftp|store|key|secret)/,
    /(\s--(?:oauth2-bearer|bearer|pass|requirepass|masterauth|sftp-pass|storepass|keypass)[= \t]\\{0,3}["']?)([^\s"'\\-][^\s"'\\]{3,2047})/g,
  ),
  placed(/--from-literal/, /(\s--from-literal[= ]["']?(?:[\w.-]{1,128})=)([^\s"']{1,4096})/g),
  placed(/\s-u\s/, /(\s-u[ \t]{1,4}\\{0,3}["']?[\w.-]{1,64}:)([^\s"'\\@]{6,256})/g, 'chosen'),
  placed(
    /\s-[pP]\s/,
    /(\s-[pP][ \t]{1,4}\\{0,3}["']?)((?=[^\s]{0,40}[a-z])(?=[^\s]{0,40}[A-Z])(?=[^\s]{0,40}\d)[A-Za-z0-9!#%*+?~]{12,128})(?![\w./:-])/g,
    'random',
  ),
  placed(/-encrypt/, /(\s-encrypt(?:=|[ \t]{1,4}))([A-Za-z0-9+/]{20,64}={0,2})/g),
  // Standard input: what is piped into a program that reads a password there.
  placed(
    /echo|printf/,
    /(\b(?:echo|printf)[ \t]{1,4}(?:-\w{1,2}[ \t]{1,4}){0,2}["']?(?:[\w.-]{1,64}:(?=[^\n|]{1,256}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?chpasswd))?)([^\s"'$|][^\n"'|]{2,511}?)(?=["']?[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4}(?:-\w{1,4}[ \t]{1,4}){0,3}-\w{0,3}S\b|[^\n|;&]{0,200}(?:--\w{0,20}(?:password|token)-stdin|--stdin|--with-token|passwd|chpasswd|-pass(?:in)? stdin|secret create|--passphrase-fd)\b|(?:sudo[ \t]{1,4})?(?:kinit|smbpasswd|cryptsetup|gpg|openssl|faillock)\b))/g,
  ),
  placed(
    /<<</,
    /((?:--with-token|--password-stdin|--passphrase-fd[ =]0)[^\n|;&]{0,80}<<<[ \t]{0,4}["']?)([^\s"']{4,2048})/g,
  ),
];

/**
 * Any other program: a user by option and then a password by option. `-p` alone is a port more often than a password, so the value must
 * look like nothing else.
 */
const USER_AND_PASSWORD =
  /(\s(?:-u|-U|-l|--user|--username|--login)(?:[ \t]{1,4}|=)["']?[\w.@\\-]{1,64}["']?(?:[ \t]{1,4}(?!-[pPw])[^\s|;&]{1,128}){0,6}?[ \t]{1,4}-[pPw](?:[ \t]{1,4}|(?=\S))["']?)([^\s"'-][^\s"']{3,255})/g;

/** Masks passwords given by short options, where the program decides what its letters mean, or by place. Each command is looked at once. */
export const commandPass: RedactionPass = (text, mask) => {
  const kept: string[] = [];
  let from = 0;
  PROGRAM.lastIndex = 0;
  for (let program = PROGRAM.exec(text); program; program = PROGRAM.exec(text)) {
    const start = program.index + program[0].length;
    const window = text.slice(start, start + LONGEST_COMMAND);
    const end = window.search(COMMAND_END);
    const command = end < 0 ? window : window.slice(0, end);
    const name = program[1] ?? '';
    kept.push(text.slice(from, start), maskOptions(name, command, mask));
    from = start + command.length;
    PROGRAM.lastIndex = from;
  }
  const redacted = from === 0 ? text : kept.join('') + text.slice(from);
  const masked = maskPlaced(redacted, BY_PLACE, mask);
  if (!/-[pP]/.test(masked)) return masked;
  return masked.replace(USER_AND_PASSWORD, (all: string, head: string, value: string) =>
    looksChosen(value) ? head + mask('password', value) : all,
  );
};

function maskOptions(name: string, command: string, mask: Mask): string {
  const program = PROGRAMS[name];
  if (!program || (ONLY_AT_LOGIN.test(name) && !/\blogin\b/.test(command))) return command;
  return command.replace(OPTION, (all: string, option: string, letter: string, gap: string, value: string) => {
    const taken = gap === '' ? program.attached : program.separate;
    if (program.userinfo?.includes(letter)) return `${option}${gap}${maskUserinfo(value, mask)}`;
    if (!taken?.includes(letter) || isMasked(value) || isHarmlessValue(value, 'password')) return all;
    return `${option}${gap}${maskWord(value, mask)}`;
  });
}

function maskUserinfo(value: string, mask: Mask): string {
  const colon = value.search(/[:%,]/);
  const secret = value.slice(colon + 1).replace(/["']$/, '');
  if (colon < 0 || secret === '' || isMasked(secret) || secret.startsWith('$')) return value;
  return `${value.slice(0, colon + 1)}${mask('password', secret)}${value.slice(colon + 1 + secret.length)}`;
}

/** Quotes stay round the placeholder. */
function maskWord(value: string, mask: Mask): string {
  const quote = /^["']/.exec(value)?.[0] ?? '';
  const inner = value.slice(quote.length).replace(quote ? new RegExp(`${quote}$`) : /$^/, '');
  return `${quote}${mask('password', inner)}${value.slice(quote.length + inner.length)}`;
}

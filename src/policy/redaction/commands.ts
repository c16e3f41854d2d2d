import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';

/** How programs take a password without naming it. `attached` options glue it to the letter, `separate` ones take the next word. */
interface Program {
  readonly attached?: string;
  readonly separate?: string;
  /** The word after the option is `user:password`. */
  readonly userinfo?: string;
}

const MYSQL: Program = { attached: 'p' };
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
  curl: { userinfo: 'uU' },
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
  isql: { separate: 'P', attached: 'P' },
  rabbitmqadmin: { separate: 'p' },
  smbclient: { userinfo: 'U' },
  ipmitool: { separate: 'P' },
  snmpget: { separate: 'c' },
  snmpset: { separate: 'c' },
  snmpwalk: { separate: 'c' },
};
const NAMES = Object.keys(PROGRAMS).sort((a, b) => b.length - a.length);
/** Programs whose short option means something else outside `login`. */
const ONLY_AT_LOGIN = /^(?:docker|podman|helm|az)$/;
const PROGRAM = new RegExp(`(?<![\\w-])(${NAMES.join('|')})(?=[ \\t])`, 'g');
const COMMAND_END = /[\n|;&]|\\n/;
const LONGEST_COMMAND = 1024;
/** `-p`, or the last letter of a cluster, then the word it takes. */
const OPTION = /((?<=\s)-([A-Za-z]))([ \t]{1,4}|)((?:"[^"\n]{1,256}"?|'[^'\n]{1,256}'?|[^\s"'-])(?:[^\s"']{0,256}))/g;

/** Programs that take a secret by its place. */
const BY_PLACE: readonly RegExp[] = [
  /(\bvault[ \t]{1,4}login[ \t]{1,4}(?:-[^\s"']{1,64}[ \t]{1,4}){0,4})([^\s"'=-][^\s"'=]{5,255})/g,
  /(\b(?:change_password|add_user)[ \t]{1,4}[^\s"']{1,64}[ \t]{1,4})([^\s"']{4,255})/g,
  /(\bhtpasswd[ \t]{1,4}-\w{0,8}b\w{0,8}[ \t]{1,4}[^\s"']{1,255}[ \t]{1,4}[^\s"']{1,64}[ \t]{1,4})([^\s"']{4,255})/g,
  /(\bmc[ \t]{1,4}alias[ \t]{1,4}set[ \t]{1,4}(?:[^\s"']{1,255}[ \t]{1,4}){3})([^\s"']{8,255})/g,
  /(\bConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?["'])([^"'\n]{1,255})(?=["'])/gi,
];

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
  return BY_PLACE.reduce(
    (current, pattern) =>
      current.replace(pattern, (all: string, head: string, value: string) =>
        isMasked(value) || value.startsWith('$') ? all : head + mask('password', value),
      ),
    redacted,
  );
};

function maskOptions(name: string, command: string, mask: Mask): string {
  const program = PROGRAMS[name];
  if (!program || (ONLY_AT_LOGIN.test(name) && !/\blogin\b/.test(command))) return command;
  return command.replace(OPTION, (all: string, option: string, letter: string, gap: string, value: string) => {
    const taken = gap === '' ? program.attached : program.separate;
    if (program.userinfo?.includes(letter)) return `${option}${gap}${maskUserinfo(value, mask)}`;
    if (!taken?.includes(letter) || isMasked(value) || value.startsWith('$')) return all;
    return `${option}${gap}${maskWord(value, mask)}`;
  });
}

function maskUserinfo(value: string, mask: Mask): string {
  const colon = value.search(/[:%]/);
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

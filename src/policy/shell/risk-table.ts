import { match } from './match.ts';
import { PROGRAMS } from './programs/index.ts';

export const RISK_CLASSES = ['R0', 'R1', 'R2', 'R3'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];

/** A program, what has to stand among its arguments, and the class it then has. The first line that fits decides. */
type Line = readonly [programs: RegExp, args: RegExp, risk: RiskClass];

const ANY = /(?:)/;

/** Labels of what changes something (notes: R1 reversible service action, R2 configuration, workload and unknown, R3 destructive or hard to undo). */
const LINES: readonly Line[] = [
  [/^rm$/, /(^| )(-[a-zA-Z]*[rR]|--recursive)/, 'R3'],
  [/^(shred|wipefs|mkfs(\..*)?|mke2fs|mkswap|fdisk|sfdisk|parted|sgdisk|blkdiscard)$/, ANY, 'R3'],
  [/^dd$/, /(^| )of=\/dev\//, 'R3'],
  [/^find$/, /(^| )-delete( |$)/, 'R3'],
  [/^(shutdown|reboot|halt|poweroff|init|telinit)$/, ANY, 'R3'],
  [/^(lvremove|vgremove|pvremove|userdel|groupdel|dropdb|killall5)$/, ANY, 'R3'],
  // What a process held is lost, as with a service that is stopped. Signal 0 and the list of signals end nothing.
  [/^(kill|pkill|killall|skill|xkill)$/, /^(?!(-0|-s 0|--signal[ =]0|-l|-L|--list)\b)/, 'R3'],
  [/^fuser$/, /(^| )(-[a-zA-Z]*k|--kill)/, 'R3'],
  [/^(zfs|zpool)$/, /(^| )(destroy|rollback|labelclear)( |$)/, 'R3'],
  [
    /^systemctl$/,
    /(^| )(stop|disable|mask|kill|poweroff|reboot|halt|isolate|rescue|emergency|kexec|suspend|hibernate)( |$)/,
    'R3',
  ],
  [
    /^systemctl$/,
    /(^| )(start|restart|reload|try-restart|reload-or-restart|try-reload-or-restart|reset-failed)( |$)/,
    'R1',
  ],
  [/^(service|rc-service|supervisorctl|initctl)$/, /(^| )stop( |$)/, 'R3'],
  [/^(service|rc-service|supervisorctl|initctl)$/, /(^| )(start|restart|reload|force-reload)( |$)/, 'R1'],
  [/^(nginx|apachectl|apache2ctl|httpd)$/, /(^| )(-s reload|-s reopen|graceful|restart)( |$)/, 'R1'],
  [/^(kubectl|oc|k)$/, /(^| )(delete|drain|replace --force)( |$)/, 'R3'],
  [/^(docker|podman|nerdctl|crictl)$/, /(^| )(rm|rmi|prune|rmp|kill|down)( |$)/, 'R3'],
  [/^(docker|podman|nerdctl|crictl)$/, /(^| )(start|stop|restart|pause|unpause)( |$)/, 'R1'],
  [/^helm$/, /(^| )(uninstall|delete|del|un)( |$)/, 'R3'],
  [/^(terraform|tofu|pulumi)$/, /(^| )destroy|-destroy( |$)/, 'R3'],
  [
    /^(aws|gcloud|az|doctl|oci|ibmcloud|eksctl|gsutil|s3cmd|mc)$/,
    /(^| )(delete|terminate|destroy|remove|rm|rb|purge|del)[\w-]*( |$)/,
    'R3',
  ],
  [
    /^(psql|mysql|mariadb|sqlite3|mongo|mongosh|cqlsh|clickhouse-client|sqlcmd)$/,
    /\b(drop|truncate|delete|dropdatabase|remove|deletemany|deleteone)\b/i,
    'R3',
  ],
  [/^redis-cli$/, /(^| )(flushall|flushdb|del|unlink|shutdown)( |$)/i, 'R3'],
  [/^etcdctl$/, /(^| )(del|rm|member remove)( |$)/, 'R3'],
  [/^(crontab|atrm)$/, /(^| )-r( |$)/, 'R3'],
  [/^git$/, /(^| )(clean|reset --hard|push (.* )?(-f|--force|--delete))/, 'R3'],
  [/^(iptables|ip6tables|nft|ipset|ufw)$/, /(^| )(-F|--flush|-X|flush|destroy|reset)( |$)/, 'R3'],
];

/** The class of one program with its arguments. R0 only where the gate itself knows it to read. */
export function riskOfProgram(name: string, args: readonly string[]): RiskClass {
  const text = args.join(' ');
  const line = LINES.find(([programs, needed]) => programs.test(name) && needed.test(text));
  if (line) return line[2];
  const program = PROGRAMS.get(name);
  return program && match(program, args).kind === 'match' ? 'R0' : 'R2';
}

import type { Reading } from './grammar.ts';

/**
 * Why a path may not be read, or undefined. Decided by the kind of thing that stands there, the same for every reader: keys, passwords and tokens;
 * what belongs to other processes; devices and endless files. `tree` reads everything below: a folder that holds one of these places is refused, too.
 * The caller asks again with the real path when the command runs: a link has a name of its own.
 */
export function whyNotRead(path: string, how: Reading['how']): string | undefined {
  if (path === '') return 'an empty path';
  if (path.split('/').includes('..')) return `'${path}' climbs with '..'; write the path out`;
  if (path.startsWith('@')) return `'${path}' is a file of arguments to some programs; write ./${path.slice(0, 20)}`;
  const plain = normalize(path);
  if (how === 'certificate' && isCertificate(plain)) return undefined;
  const kind = kindOf(plain, how);
  if (kind) return `'${path}' is ${kind}`;
  if (how === 'tree' && plain.startsWith('/') && holdsSecretPlaces(plain))
    return `'${path}' holds places with keys or tokens; name a folder further down`;
  return undefined;
}

/** Without double slashes, `.` and a slash at the end; lower case, for file systems that do not tell them apart. */
function normalize(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`.toLowerCase();
}

function kindOf(path: string, how: Reading['how']): string | undefined {
  if (SECRET_PLACES.some((place) => place.test(`${path}/`))) return 'a place of keys, passwords or tokens';
  const parts = path.split('/').filter(Boolean);
  if (parts.some((part) => SECRET_FOLDERS.has(part))) return 'a folder of credentials';
  const last = parts.at(-1) ?? '';
  if (SECRET_FILES.some((file) => file.test(last))) return 'a file of keys or passwords';
  if (path === '/proc' || path.startsWith('/proc/')) return processKind(parts.slice(1), how);
  if (how === 'entry') return undefined;
  if (path.startsWith('/dev/') && path !== '/dev/null') return 'a device';
  if (ENDLESS.test(path)) return 'a stream of the kernel without an end';
  // On any Linux: what stands there is the administrator's own, whatever it is called.
  if (path === '/root' || path.startsWith('/root/')) return 'the home of the administrator';
  if (parts.some((part) => part.startsWith('.'))) return 'a hidden file: those hold credentials more often than facts';
  if (!isLog(path) && parts.slice(0, -1).some((part) => /^(private|secrets?|credentials?|keys)$/.test(part)))
    return 'in a folder of secrets';
  if (!isLog(path) && (SECRET_WORDS.test(last) || isKeyFile(path))) return 'named like a key or a password';
  return undefined;
}

/** Folders and files that hold secrets on every machine of their kind; matched against the path with a slash at its end. */
const SECRET_PLACES: readonly RegExp[] = [
  /^\/etc\/g?shadow/,
  /^\/etc\/security\/opasswd/,
  /^\/etc\/sudoers/,
  /^\/etc\/apt\/auth\.conf/,
  /^\/etc\/(sssd\/(sssd\.conf|conf\.d)|cryptsetup-keys\.d|pgbouncer\/userlist\.txt)\//,
  // what daemons log in with
  /^\/etc\/(hostapd|iscsi\/iscsid\.conf|wpa_supplicant\.conf|msmtprc|ssmtp|nslcd\.conf|pam_ldap\.conf|pve\/priv|ntp\/keys|snmp\/snmpd\.conf)\//,
  /^\/etc\/(raddb|freeradius\/([\d.]+\/)?)\/?clients\.conf\//,
  /^\/boot\/grub2?\/user\.cfg\//,
  /^\/var\/lib\/cloud\/.*(user|vendor)-data/,
  /^\/etc\/(ssl|pki\/tls|pki\/ca-trust)\/private\//,
  /^\/etc\/(ipsec\.d|swanctl)\/private\//,
  /^\/etc\/ipsec\.secrets\//,
  /^\/etc\/(wireguard|openvpn|wpa_supplicant|vault[^/]*|consul\.d|nomad\.d)\//,
  /^\/etc\/networkmanager\/system-connections\//,
  /^\/etc\/(letsencrypt|acme)\/(archive|live|accounts|keys)\//,
  /^\/etc\/ssh\/ssh_host_[a-z0-9]+_key\//,
  /^\/etc\/ppp\/(chap|pap)-secrets\//,
  /^\/etc\/kubernetes\/(pki|[^/]+\.conf)\//,
  /^\/etc\/rancher\//,
  /^\/etc\/docker\/key\.json\//,
  /^\/etc\/mysql\/debian\.cnf\//,
  /^\/etc\/credstore/,
  /^\/var\/lib\/kubelet\/(pods|pki|config\.json|kubeconfig|bootstrap)/,
  /^\/var\/lib\/(etcd|rancher|vault|secrets|sss\/(db|secrets)|samba\/private|systemd\/(credential\.secret|random-seed)|private|jenkins\/secrets)\//,
  /^\/var\/lib\/docker\/(containers\/[^/]+\/(config\.v2|hostconfig)\.json|swarm|secrets)\//,
  /^\/(var\/)?run\/(secrets|credentials|keys|docker\.sock|containerd\/containerd\.sock)/,
  /^\/(var\/)?run\/user\/[^/]+\/(keyring|gnupg)/,
  /^\/var\/spool\/cron\//,
  /\/secrets\/(kubernetes\.io|eks\.amazonaws\.com|azure|tokens?)\//,
  /\/kubernetes\.io~(secret|projected|csi)\//,
];

/** Folders whose name says that they hold credentials, wherever they stand. */
const SECRET_FOLDERS: ReadonlySet<string> = new Set(
  '.ssh .gnupg .aws .azure .gcloud .kube .docker .password-store .gem .vault .helm .oci .minikube .putty keyrings keystores'.split(
    ' ',
  ),
);

/** Names of files that hold keys or passwords, wherever they stand. */
const SECRET_FILES: readonly RegExp[] = [
  // SSH
  /^id_(rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/,
  /_(rsa|dsa|ecdsa|ed25519)$/,
  // accounts of the machine
  /^g?shadow([-.~].*)?$/,
  /_history$/,
  /^\.bash_profile$/,
  /\.keytab$/,
  /^krb5cc_/,
  // what programs log in with
  /^[._]?netrc$/,
  /^\.?pgpass(\.conf)?$/,
  /^\.(my|mylogin)\.cnf$/,
  /^\.?htpasswd$/,
  /^(userlist\.txt|users\.acl|tomcat-users\.xml|authkey|psk\.txt|(ntp|chrony)\.keys|\.?vault[-_]?pass.*)$/,
  /(user|vendor)-data(\.(cfg|txt|i))?$/,
  /jaas\.conf$/,
  /^wp-config\.php$/,
  /^\.(npmrc|pypirc|yarnrc(\.yml)?|git-credentials|dockercfg|dockerconfigjson|boto|s3cfg|vault-token)$/,
  /^\.?rclone\.conf$/,
  /\.env(\..*)?$/,
  /^environ$/,
  // clusters and clouds
  /kubeconfig/,
  /^admin\.conf$/,
  /\.tf(state(\.backup)?|vars)$/,
  /^(application_default_credentials|service[-_]?account.*)\.json$/,
  /^(credentials?|secrets?|tokens?)(\.(json|db|xml|ini|csv|toml|ya?ml|env|properties|txt|conf|enc))?$/,
  // keys, stores of keys, browsers
  /\.(key|psk|p12|pfx|pkcs12|p8|jks|jceks|bks|keystore|kdbx?|ppk|ovpn|gpg|pgp|kwallet|agekey|keyring|wallet)$/,
  /(^|[-_.])(key|privkey\d*)\.pem$/,
  /^(master\.key|secring.*|wallet\.dat|[ce]wallet\.(sso|p12)|key[34]\.db|logins\.json|login data|cookies(\.sqlite)?)$/,
];

/** In the name of a file that is no log. */
const SECRET_WORDS =
  /(secret|credential|passw(or)?d|passphrase|(api|deploy|access|master|encryption|signing|ssh|host)[-_]?key|privkey|private|token|keystore|keychain|kubeconfig)/;

function isKeyFile(path: string): boolean {
  if (!path.endsWith('.pem')) return false;
  return (
    !/(cert|chain|ca|crt|pub)[^/]*\.pem$/.test(path) &&
    !/^\/(etc\/ssl\/certs|usr\/share\/ca-certificates|etc\/pki\/ca-trust)\//.test(path)
  );
}

/** Public, also where keys stand beside it (`/etc/letsencrypt`, `/etc/kubernetes/pki`). */
function isCertificate(path: string): boolean {
  return (
    /\.(crt|cer|cert|csr|crl|pem)$/.test(path) &&
    !/(key|priv)[^/]*$/.test(path) &&
    !/\/(secrets?|private|\.[^/]+)\//.test(path)
  );
}

/** A log may be called after what it logs (`token-service.log`), and the list of accounts is public whatever its name says. */
function isLog(path: string): boolean {
  return (
    path.startsWith('/var/log/') ||
    /\.log(\.\d+)?(\.(gz|xz|bz2|zst))?$/.test(path) ||
    /^\/etc\/(pam\.d\/)?passwd-?$/.test(path)
  );
}

const ENDLESS = /^\/sys\/kernel\/(debug|tracing|security)(\/|$)|\/trace_pipe$/;

/** Of a process only what counts and limits; of the rest of /proc what describes the machine. */
const OF_PROCESS =
  /^(status|stat|statm|limits|io|cgroup|sched|schedstat|smaps_rollup|oom_score|oom_score_adj|oom_adj|mountinfo|mounts|mountstats|net(\/.*)?|wchan|comm|cmdline|numa_maps|timerslack_ns|cpuset|loginuid|ns|fdinfo(\/\d+)?|task|task\/\d+\/(status|stat|comm|sched|schedstat|wchan))$/;
const OF_MACHINE =
  /^(meminfo|cpuinfo|loadavg|uptime|stat|vmstat|diskstats|mounts|partitions|swaps|version|cmdline|filesystems|modules|interrupts|softirqs|net(\/.*)?|sys(\/.*)?|pressure(\/.*)?|slabinfo|zoneinfo|buddyinfo|pagetypeinfo|mdstat|locks|devices|iomem|ioports|cgroups|crypto|schedstat|timer_list|misc|dma|fb|consoles|bus(\/.*)?|driver(\/.*)?|fs(\/.*)?|irq(\/.*)?|scsi(\/.*)?|config\.gz|vmallocinfo)$/;

function processKind(parts: readonly string[], how: Reading['how']): string | undefined {
  const [first = '', ...rest] = parts;
  if (/^(\d+|self|thread-self)$/.test(first)) {
    const below = rest.join('/');
    const isListed = how === 'entry' && (below === '' || /^(fd|task|exe|cwd)$/.test(below));
    return isListed || (OF_PROCESS.test(below) && how !== 'tree')
      ? undefined
      : 'what belongs to a process: its environment, memory or open files';
  }
  if (how === 'entry' && first === '') return undefined;
  return OF_MACHINE.test(parts.join('/')) ? undefined : 'a part of /proc that is not known to be harmless';
}

/** Folders above a secret place: to read one whole is to read the secret. */
function holdsSecretPlaces(path: string): boolean {
  return (
    path === '/' ||
    /^\/(etc|root|home(\/[^/]+)?|users(\/[^/]+)?|var|var\/lib(\/docker(\/containers(\/[^/]+)?)?|\/kubelet|\/systemd)?|var\/run|var\/spool|run(\/user(\/[^/]+)?)?|proc|sys|dev|etc\/(ssl|pki|pki\/tls|ssh|kubernetes|letsencrypt|security|networkmanager|mysql|docker|ppp|ipsec\.d))$/.test(
      path,
    )
  );
}

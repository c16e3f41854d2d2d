import type { Cluster, KubeObject, PodSpec } from './cluster.ts';
import { booleanAt, listAt, textAt, textsAt } from './json-path.ts';

/** The part of a cluster that addresses are read from. */
type Lookup = Pick<Cluster, 'of' | 'find' | 'wasRead'>;

export interface AddressUse {
  readonly owner: KubeObject;
  readonly address: Address;
}

/** An address that a pod is configured with, in the cluster's own naming. */
export interface Address {
  /** Where it stands: `STORE_ADDR`, `argument 2`, `settings/app.yaml`. */
  readonly place: string;
  readonly host: string;
  /** Undefined: the pod's own. */
  readonly namespace: string | undefined;
  readonly port: number | undefined;
  /** True when the text can be nothing else than an address; in files and arguments a word before a colon may be anything. */
  readonly isSure: boolean;
}

/** Variables that name a host without a port. */
const HOST_VARIABLE = /(^|[_.-])(host|hosts|hostname|addr|address|server|servers|url|uri|endpoint|brokers?)$/i;
const DNS_LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** Longer files hold data; addresses stand in front. */
const MAX_TEXT = 20_000;
const MAX_ADDRESSES = 200;

/**
 * Addresses that pods are configured with: in environment, arguments, and the config maps that they read or mount. Never IP addresses,
 * public names or loopback. The pods of one service share most of theirs, which are told once.
 */
export function usesIn(podSpecs: readonly PodSpec[], cluster: Lookup): readonly AddressUse[] {
  const read = rememberTexts(cluster);
  const uses = new Map<string, AddressUse>();
  for (const podSpec of podSpecs) {
    const { owner } = podSpec;
    for (const address of addressesOf(podSpec, cluster, read)) {
      const { place, namespace, host, port } = address;
      const key = `${owner.namespace}\n${owner.service}\n${place}\n${namespace}\n${host}\n${port}`;
      if (!uses.has(key)) uses.set(key, { owner, address });
    }
  }
  return [...uses.values()];
}

/** Reads a text under the name of its place, `isSetting` when it is the value of one variable. */
type ReadText = (place: string, text: string, isSetting: boolean) => readonly Address[];

function rememberTexts(cluster: Lookup): ReadText {
  const known = new Map<string, readonly Address[]>();
  return (place, whole, isSetting) => {
    const text = whole.slice(0, MAX_TEXT);
    const key = `${place}\n${text}`;
    const found = known.get(key) ?? (isSetting ? fromSetting : fromText)(place, text, cluster);
    known.set(key, found);
    return found;
  };
}

function addressesOf({ owner, spec }: PodSpec, cluster: Lookup, read: ReadText): readonly Address[] {
  const configMap = (name: string | undefined) =>
    name === undefined ? {} : textsAt(cluster.find('ConfigMap', owner.namespace, name)?.body, 'data');
  const containers = [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')];
  const found = [
    ...containers.flatMap((container) => fromEnvironment(container, configMap, read)),
    ...containers.flatMap((container) =>
      [...listAt(container, 'command'), ...listAt(container, 'args')].flatMap((argument, i) =>
        typeof argument === 'string' ? read(`argument ${i + 1}`, argument, false) : [],
      ),
    ),
    ...listAt(spec, 'volumes').flatMap((volume) => {
      const name = textAt(volume, 'configMap', 'name');
      return Object.entries(configMap(name)).flatMap(([file, text]) => read(`${name}/${file}`, text, false));
    }),
  ];
  return found.slice(0, MAX_ADDRESSES);
}

type ConfigMapData = (name: string | undefined) => Readonly<Record<string, string>>;

function fromEnvironment(container: unknown, configMap: ConfigMapData, read: ReadText): readonly Address[] {
  // Of a name that is listed twice the later entry counts.
  const entries = new Map(listAt(container, 'env').map((entry) => [textAt(entry, 'name') ?? '', entry]));
  const direct = [...entries].flatMap(([name, entry]) => {
    const reference = textAt(entry, 'valueFrom', 'configMapKeyRef', 'key');
    const data = configMap(textAt(entry, 'valueFrom', 'configMapKeyRef', 'name'));
    const value = textAt(entry, 'value') ?? (reference === undefined ? undefined : data[reference]);
    return value === undefined ? [] : read(name, value, true);
  });
  const whole = listAt(container, 'envFrom').flatMap((source) =>
    booleanAt(source, 'configMapRef', 'optional') === true
      ? []
      : Object.entries(configMap(textAt(source, 'configMapRef', 'name'))).flatMap(([name, value]) =>
          read(name, value, true),
        ),
  );
  return [...direct, ...whole];
}

/** Bounded, so that no text makes them slow: a DNS name has 253 characters at most. */
const HOST = '[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?';
const SCHEME = '[a-z][a-z0-9+.-]{0,20}';
/** A whole setting: `host`, `host:port`, `scheme://user@host:port/path`. */
const SETTING = new RegExp(
  `^(?:jdbc:)?(?:(${SCHEME})://)?(?:[^@/\\s]{0,200}@)?(${HOST})(?::(\\d{1,5}))?(?:[/?;].*)?$`,
  'i',
);

/** A setting may hold one address or a list of them. Longer values are files. */
function fromSetting(name: string, value: string, cluster: Lookup): readonly Address[] {
  if (value.length > 400 || /\s/.test(value.trim())) return fromText(name, value, cluster);
  return value
    .trim()
    .split(',')
    .flatMap((part) => {
      const [, scheme, host, port] = SETTING.exec(part) ?? [];
      const isAddress = scheme !== undefined || port !== undefined || HOST_VARIABLE.test(name);
      // A clock time or a version is no address.
      if (!host || !isAddress) return [];
      return toAddress(name, host, port, true, cluster) ?? [];
    });
}

const URLS = new RegExp(`\\b(${SCHEME})://(?:[^@/\\s"']{0,200}@)?(${HOST})(?::(\\d{1,5}))?`, 'gi');
const PAIRS = new RegExp(`(?<![\\w./@:-])(${HOST}):(\\d{2,5})(?![\\w.:-])`, 'gi');

function fromText(place: string, text: string, cluster: Lookup): readonly Address[] {
  const urls = [...text.matchAll(URLS)].flatMap(
    ([, , host = '', port]) => toAddress(place, host, port, port !== undefined, cluster) ?? [],
  );
  const pairs = [...text.matchAll(PAIRS)].flatMap(
    ([, host = '', port]) => toAddress(place, host, port, false, cluster) ?? [],
  );
  return [...urls, ...pairs];
}

/** `name`, `name.namespace`, `name.namespace.svc[.cluster.local]`, and `pod.name` of a Service that names its pods. */
function toAddress(
  place: string,
  fullHost: string,
  port: string | undefined,
  isSure: boolean,
  cluster: Lookup,
): Address | undefined {
  const labels = fullHost.toLowerCase().split('.');
  if (fullHost.toLowerCase() === 'localhost' || labels.some((label) => !DNS_LABEL.test(label))) return undefined;
  const number = port === undefined ? undefined : Number(port);
  const svc = labels.indexOf('svc');
  const known = svc >= 0 ? labels.slice(0, svc) : labels;
  const [host, second, third] = known;
  if (host === undefined || known.length > 3 || (svc < 0 && known.length > 2)) return undefined;
  if (third !== undefined && second !== undefined)
    return { place, host: second, namespace: third, port: number, isSure };
  if (second === undefined) return { place, host, namespace: undefined, port: number, isSure };
  if (svc >= 0 || cluster.wasRead('Service', second)) return { place, host, namespace: second, port: number, isSure };
  // `kafka-0.kafka`; any other name of two parts may be public.
  const isPodName = cluster.of('Service').some(({ name }) => name === second);
  return isPodName ? { place, host: second, namespace: undefined, port: number, isSure } : undefined;
}

/** The Service that an address means for a pod of the owner's namespace. */
export function serviceAt(address: Address, owner: KubeObject, cluster: Pick<Lookup, 'find'>): KubeObject | undefined {
  return cluster.find('Service', address.namespace ?? owner.namespace, address.host);
}

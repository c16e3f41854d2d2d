import type { AddressUse } from './addresses.ts';
import type { Cluster, PodSpec } from './cluster.ts';
import { listAt, textAt } from './json-path.ts';

type Lookup = Pick<Cluster, 'of' | 'find'>;

/** Services that pods need, where the address itself was not recorded: told by the names of secrets and variables. */
export function hiddenUses(podSpecs: readonly PodSpec[], cluster: Lookup): readonly AddressUse[] {
  const services = new Set(cluster.of('Service').map(({ name }) => name));
  return podSpecs.flatMap((podSpec) => [...bySecrets(podSpec, services), ...byVariables(podSpec, services, cluster)]);
}

const useOf = (owner: PodSpec['owner'], place: string, host: string): AddressUse => ({
  owner,
  address: { place, host, namespace: undefined, port: undefined, isSure: false },
});

/** `orders-db-credentials` belongs to `orders-db`. The address itself may be in there. */
function bySecrets({ owner, spec }: PodSpec, services: ReadonlySet<string>): readonly AddressUse[] {
  return secretsOf(spec).flatMap((secret) => {
    const words = secret.split('-');
    const prefixes = words.map((_, i) => words.slice(0, i + 1).join('-'));
    const host = prefixes.findLast((prefix) => services.has(prefix) && prefix !== owner.service);
    return host === undefined ? [] : useOf(owner, `secret ${secret}`, host);
  });
}

function secretsOf(spec: unknown): readonly string[] {
  const containers = containersOf(spec);
  const names = [
    ...containers
      .flatMap((container) => listAt(container, 'env'))
      .map((entry) => textAt(entry, 'valueFrom', 'secretKeyRef', 'name')),
    ...containers
      .flatMap((container) => listAt(container, 'envFrom'))
      .map((source) => textAt(source, 'secretRef', 'name')),
    ...listAt(spec, 'volumes').map((volume) => textAt(volume, 'secret', 'secretName')),
  ];
  return [...new Set(names.filter((name) => name !== undefined))];
}

const containersOf = (spec: unknown) => [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')];

/** `ORDERS_DB_ADDR` and, as Kubernetes itself names it for each Service, `ORDERS_DB_SERVICE_HOST`. */
const ADDRESS_OF = /^(\w{1,63}?)_(?:SERVICE_)?(?:HOST|HOSTNAME|ADDR|ADDRESS|URL|URI|ENDPOINT)$/;
/** What a recording shows in place of a value that may be secret. */
const HIDDEN = /^<redacted>$/i;

function byVariables({ owner, spec }: PodSpec, services: ReadonlySet<string>, cluster: Lookup): readonly AddressUse[] {
  const isHidden = (entry: unknown) => {
    const map = textAt(entry, 'valueFrom', 'configMapKeyRef', 'name');
    const isUnread = map !== undefined && cluster.find('ConfigMap', owner.namespace, map) === undefined;
    return isUnread || HIDDEN.test(textAt(entry, 'value') ?? '') || hasSecret(entry);
  };
  return containersOf(spec)
    .flatMap((container) => listAt(container, 'env'))
    .filter(isHidden)
    .flatMap((entry) => {
      const variable = textAt(entry, 'name') ?? '';
      const host = ADDRESS_OF.exec(variable)?.[1]?.toLowerCase().replaceAll('_', '-') ?? '';
      return services.has(host) && host !== owner.service ? useOf(owner, variable, host) : [];
    });
}

const hasSecret = (entry: unknown) => textAt(entry, 'valueFrom', 'secretKeyRef', 'name') !== undefined;

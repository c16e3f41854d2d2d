import type { Cluster, KubeObject, PodSpec } from '../cluster.ts';
import type { Condition, Rule, RuleContext } from '../condition.ts';
import { listAt, numberAt, textAt } from '../json-path.ts';

/** A host in the cluster's own naming: `name` or `name.namespace.svc[.cluster.local]`. `a.b` may be public and is left alone. */
interface Address {
  readonly variable: string;
  readonly host: string;
  readonly namespace: string | undefined;
  readonly port: number | undefined;
}

/** Variables that name a host without a port. */
const HOST_VARIABLE = /(_|^)(HOST|HOSTNAME|ADDR|ADDRESS|URL|URI|ENDPOINT)$/i;
const DNS_LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** An address in a container's environment that names no Service, or a port which that Service does not offer. */
export const environmentAddresses: Rule = (cluster, context) =>
  cluster.podSpecs.flatMap((podSpec) =>
    addressesOf(podSpec).flatMap((address) => judge(podSpec, address, cluster, context) ?? []),
  );

function judge({ owner }: PodSpec, address: Address, cluster: Cluster, context: RuleContext): Condition | undefined {
  const namespace = address.namespace ?? owner.namespace;
  if (!cluster.wasRead('Service', namespace)) return undefined;
  const service = cluster.find('Service', namespace, address.host);
  if (service) return wrongPort(owner, address, service);
  return noService(owner, address, cluster, context);
}

/** When the workload of that name exists its Service was removed or never made, which is that workload's fault; else the address is wrong. */
function noService(owner: KubeObject, address: Address, cluster: Cluster, context: RuleContext): Condition {
  const target = context.services.canonical(address.host);
  const exists =
    cluster.podsOfService(target).length > 0 ||
    cluster.of('Deployment').some((deployment) => deployment.service === target);
  return {
    object: owner,
    service: exists ? target : owner.service,
    reason: `NoService ${address.host}`,
    statement: `reads ${address.variable}, which names ${address.host}; no Service has that name${exists ? `, though the workload ${target} exists` : ''}`,
    severity: exists ? 0.9 : 0.75,
    type: exists ? 'dns' : 'config_change',
  };
}

function wrongPort(owner: KubeObject, address: Address, service: KubeObject): Condition | undefined {
  const ports = listAt(service.body, 'spec', 'ports').flatMap((port) => numberAt(port, 'port') ?? []);
  const isHeadless = textAt(service.body, 'spec', 'clusterIP') === 'None';
  if (address.port === undefined || ports.length === 0 || isHeadless || ports.includes(address.port)) return undefined;
  return {
    object: owner,
    service: owner.service,
    reason: `WrongPort ${address.host}`,
    statement: `reads ${address.variable}, which names ${address.host}:${address.port}; that Service offers ${ports.slice(0, 6).join(', ')}`,
    severity: 0.8,
    type: 'config_change',
    numbers: [address.port, ...ports.slice(0, 6)],
  };
}

function addressesOf({ spec }: PodSpec): readonly Address[] {
  return listAt(spec, 'containers').flatMap((container) =>
    listAt(container, 'env').flatMap((entry) => {
      const [variable, value] = [textAt(entry, 'name'), textAt(entry, 'value')];
      return variable && value ? (parseAddress(variable, value) ?? []) : [];
    }),
  );
}

/** Only what can be nothing else than an address; IP addresses, public names and loopback are not the cluster's to resolve. */
function parseAddress(variable: string, value: string): Address | undefined {
  const match = /^(?:jdbc:)?(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/\s]*@)?([a-z0-9.-]+)(?::(\d{1,5}))?(?:[/?].*)?$/i.exec(
    value,
  );
  const [, fullHost, port] = match ?? [];
  if (!fullHost || fullHost === 'localhost') return undefined;
  const hasShape = port !== undefined || /^[a-z][a-z0-9+.-]*:\/\//i.test(value) || HOST_VARIABLE.test(variable);
  if (!hasShape) return undefined;
  const [host, namespace, ...rest] = fullHost.split('.');
  const isClusterName = rest.length === 0 ? namespace === undefined : rest[0] === 'svc';
  if (!host || !DNS_LABEL.test(host) || !isClusterName) return undefined;
  return { variable, host, namespace, port: port === undefined ? undefined : Number(port) };
}

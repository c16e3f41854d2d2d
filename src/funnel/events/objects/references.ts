import { booleanAt, hasAt, listAt, textAt, at } from '../json-path.ts';
import type { Cluster, PodSpec } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import type { RootCauseType } from '../../../domain/root-cause-type.ts';

interface Reference {
  readonly kind: 'ConfigMap' | 'Secret' | 'ServiceAccount' | 'PersistentVolumeClaim';
  readonly name: string;
  /** A key that has to be in it. */
  readonly key?: string | undefined;
}

const TYPES: Record<Reference['kind'], RootCauseType> = {
  ConfigMap: 'config_change',
  Secret: 'config_change',
  ServiceAccount: 'permission',
  PersistentVolumeClaim: 'config_change',
};

/** Running pods have what they needed when they started: only the next start will fail. */
const LATENT_SEVERITY = 0.4;

/** Something that a pod spec needs and that is not there. Judged only where other objects of that kind were read. */
export const danglingReferences: Rule = (cluster) =>
  cluster.podSpecs.flatMap((podSpec) =>
    referencesOf(podSpec.spec).flatMap((reference) => judge(podSpec, reference, cluster) ?? []),
  );

function judge({ owner }: PodSpec, reference: Reference, cluster: Cluster): Condition | undefined {
  if (!cluster.wasRead(reference.kind, owner.namespace)) return undefined;
  const found = cluster.find(reference.kind, owner.namespace, reference.name);
  const isThere = found && (reference.key === undefined || mayHoldKey(found.body, reference.key));
  if (isThere) return undefined;
  const missing = found
    ? `key ${reference.key} of ${reference.kind} ${reference.name}`
    : `${reference.kind} ${reference.name}`;
  return {
    object: owner,
    service: owner.service,
    reason: `Missing${reference.kind} ${reference.name}`,
    statement: `needs ${missing}, which does not exist`,
    severity: cluster.isServing(owner.service) ? LATENT_SEVERITY : 1,
    type: TYPES[reference.kind],
  };
}

/** Keys can be missed only where data was recorded. */
function mayHoldKey(body: unknown, key: string): boolean {
  if (!hasAt(body, 'data') && !hasAt(body, 'binaryData')) return true;
  return hasAt(body, 'data', key) || hasAt(body, 'binaryData', key);
}

function referencesOf(spec: unknown): readonly Reference[] {
  const containers = [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')];
  const account = textAt(spec, 'serviceAccountName') ?? textAt(spec, 'serviceAccount');
  return [
    ...(account ? [{ kind: 'ServiceAccount' as const, name: account }] : []),
    ...containers.flatMap((container) => listAt(container, 'envFrom')).flatMap(fromEnvironmentSource),
    ...containers.flatMap((container) => listAt(container, 'env')).flatMap(fromVariable),
    ...listAt(spec, 'volumes').flatMap(fromVolume),
  ];
}

const isOptional = (reference: unknown) => booleanAt(reference, 'optional') === true;

function named(kind: Reference['kind'], reference: unknown, field: string): readonly Reference[] {
  const name = textAt(reference, field);
  if (!name || isOptional(reference)) return [];
  return [{ kind, name, key: textAt(reference, 'key') }];
}

function fromEnvironmentSource(source: unknown): readonly Reference[] {
  return [
    ...named('ConfigMap', at(source, 'configMapRef'), 'name'),
    ...named('Secret', at(source, 'secretRef'), 'name'),
  ];
}

function fromVariable(variable: unknown): readonly Reference[] {
  return [
    ...named('ConfigMap', at(variable, 'valueFrom', 'configMapKeyRef'), 'name'),
    ...named('Secret', at(variable, 'valueFrom', 'secretKeyRef'), 'name'),
  ];
}

function fromVolume(volume: unknown): readonly Reference[] {
  return [
    ...named('ConfigMap', at(volume, 'configMap'), 'name'),
    ...named('Secret', at(volume, 'secret'), 'secretName'),
    ...named('PersistentVolumeClaim', at(volume, 'persistentVolumeClaim'), 'claimName'),
  ];
}

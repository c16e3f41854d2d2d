import type { Cluster, KubeObject } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { at, listAt, textAt } from '../json-path.ts';
import { parseQuantity } from '../quantity.ts';
import { isFinished } from './pod-life.ts';

/** Claims without a volume, told to the services whose pods mount them. An unbound claim that no pod mounts is left over from something. */
export const volumeClaims: Rule = (cluster) =>
  cluster.of('PersistentVolumeClaim').flatMap((claim) => {
    const phase = textAt(claim.body, 'status', 'phase');
    if (phase !== 'Pending' && phase !== 'Lost') return [];
    const why = phase === 'Lost' ? 'its volume is gone' : whyPending(claim, cluster);
    const users = usersOf(claim, cluster);
    // Some classes bind only when a pod comes.
    if (users.length === 0 && bindsLate(claim, cluster)) return [];
    return (users.length > 0 ? users : [claim.service]).map((service) => ({
      object: claim,
      service,
      reason: phase === 'Lost' ? 'ClaimLost' : 'ClaimPending',
      statement: `is ${phase}: ${why}`,
      severity: users.length === 0 ? 0.15 : cluster.isServing(service) ? 0.4 : 0.94,
      type: 'config_change' as const,
    }));
  });

function bindsLate(claim: KubeObject, cluster: Cluster): boolean {
  const storageClass = cluster.find('StorageClass', '', textAt(claim.body, 'spec', 'storageClassName') ?? '');
  return textAt(storageClass?.body, 'volumeBindingMode') === 'WaitForFirstConsumer';
}

function whyPending(claim: KubeObject, cluster: Cluster): string {
  const storageClass = textAt(claim.body, 'spec', 'storageClassName');
  const knowsClasses = cluster.wasRead('StorageClass', '');
  if (storageClass && knowsClasses && !cluster.find('StorageClass', '', storageClass)) {
    return `storage class ${storageClass} does not exist`;
  }
  const volume = textAt(claim.body, 'spec', 'volumeName');
  if (volume && cluster.wasRead('PersistentVolume', '')) {
    const found = cluster.find('PersistentVolume', '', volume);
    return found ? whyUnfit(claim, found) : `volume ${volume} does not exist`;
  }
  return closestVolume(claim, cluster) ?? 'it is bound to no volume';
}

/** Where volumes are made by hand: what keeps the claim from each that is free. */
function closestVolume(claim: KubeObject, cluster: Cluster): string | undefined {
  const storageClass = textAt(claim.body, 'spec', 'storageClassName');
  const [volume] = cluster
    .of('PersistentVolume')
    .filter((one) => textAt(one.body, 'spec', 'storageClassName') === storageClass)
    .filter((one) => textAt(one.body, 'status', 'phase') === 'Available');
  return volume && `volume ${volume.name} does not fit: ${whyUnfit(claim, volume)}`;
}

function whyUnfit(claim: KubeObject, volume: KubeObject): string {
  const [asked, has] = [
    at(claim.body, 'spec', 'resources', 'requests', 'storage'),
    at(volume.body, 'spec', 'capacity', 'storage'),
  ];
  if (parseQuantity(asked) > parseQuantity(has)) return `${String(asked)} asked for, ${String(has)} there`;
  const [modes, offered] = [listAt(claim.body, 'spec', 'accessModes'), listAt(volume.body, 'spec', 'accessModes')];
  const missing = modes.filter((mode) => offered.length > 0 && !offered.includes(mode));
  if (missing.length > 0) return `access mode ${missing.join(', ')} is not offered`;
  const [wanted, given] = [
    textAt(claim.body, 'spec', 'storageClassName'),
    textAt(volume.body, 'spec', 'storageClassName'),
  ];
  if (wanted !== given) return `storage class ${wanted ?? '(default)'} asked for, ${given ?? '(none)'} there`;
  const holder = textAt(volume.body, 'spec', 'claimRef', 'name');
  if (holder !== undefined && holder !== claim.name) return `volume ${volume.name} belongs to claim ${holder}`;
  return 'it is bound to no volume';
}

/** Services whose pods, or templates of pods, mount the claim. */
export function usersOf(claim: Pick<KubeObject, 'namespace' | 'name'>, cluster: Cluster): readonly string[] {
  return [...new Set(cluster.mounting(claim.namespace, claim.name).map(({ service }) => service))];
}

export function claimNamesOf(spec: unknown): readonly string[] {
  return listAt(spec, 'volumes').flatMap((volume) => textAt(volume, 'persistentVolumeClaim', 'claimName') ?? []);
}

/** Volumes that could not be reclaimed, told to the services that mount their claims. */
export const failedVolumes: Rule = (cluster) =>
  cluster.of('PersistentVolume').flatMap((volume): readonly Condition[] => {
    if (textAt(volume.body, 'status', 'phase') !== 'Failed') return [];
    const reference = at(volume.body, 'spec', 'claimRef');
    const claim = cluster.find(
      'PersistentVolumeClaim',
      textAt(reference, 'namespace') ?? '',
      textAt(reference, 'name') ?? '',
    );
    const message = textAt(volume.body, 'status', 'message') ?? 'no message recorded';
    const users = claim ? usersOf(claim, cluster) : [];
    return (users.length > 0 ? users : [volume.service]).map((service) => ({
      object: volume,
      service,
      reason: 'VolumeFailed',
      statement: `is in phase Failed: ${message}`,
      severity: users.length > 0 ? 0.85 : 0.2,
      type: 'config_change',
    }));
  });

/** A volume that only one node may hold, wanted by pods on several. */
export const sharedClaims: Rule = (cluster) =>
  cluster.of('PersistentVolumeClaim').flatMap((claim): readonly Condition[] => {
    const modes = listAt(claim.body, 'spec', 'accessModes');
    if (modes.length === 0 || !modes.every((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod'))
      return [];
    const users = cluster
      .mounting(claim.namespace, claim.name)
      .filter((user) => user.kind === 'Pod' && !isFinished(user));
    const nodes = new Set(users.flatMap((pod) => textAt(pod.body, 'spec', 'nodeName') ?? []));
    const waiting = users.find((pod) => !cluster.isServing(pod.service));
    if (nodes.size < 2 || !waiting) return [];
    return [
      {
        object: claim,
        service: waiting.service,
        reason: 'ClaimOnSeveralNodes',
        statement: `may be held by one node, and pods on ${[...nodes].slice(0, 3).join(', ')} want it`,
        severity: 0.8,
        type: 'config_change',
      },
    ];
  });

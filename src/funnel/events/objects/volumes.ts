import type { Cluster, KubeObject } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { at, listAt, textAt } from '../json-path.ts';

/** Claims without a volume, told to the services whose pods mount them. */
export const volumeClaims: Rule = (cluster) =>
  cluster.of('PersistentVolumeClaim').flatMap((claim) => {
    const phase = textAt(claim.body, 'status', 'phase');
    if (phase !== 'Pending' && phase !== 'Lost') return [];
    const why = phase === 'Lost' ? 'its volume is gone' : (whyPending(claim, cluster) ?? 'it is bound to no volume');
    return usersOf(claim, cluster).map((service) => ({
      object: claim,
      service,
      reason: phase === 'Lost' ? 'ClaimLost' : 'ClaimPending',
      statement: `is ${phase}: ${why}`,
      severity: 0.9,
      type: 'config_change' as const,
    }));
  });

function whyPending(claim: KubeObject, cluster: Cluster): string | undefined {
  const storageClass = textAt(claim.body, 'spec', 'storageClassName');
  if (storageClass && cluster.wasRead('StorageClass', '') && !cluster.find('StorageClass', '', storageClass)) {
    return `storage class ${storageClass} does not exist`;
  }
  const volume = textAt(claim.body, 'spec', 'volumeName');
  if (volume && cluster.wasRead('PersistentVolume', '') && !cluster.find('PersistentVolume', '', volume)) {
    return `volume ${volume} does not exist`;
  }
  return undefined;
}

function usersOf(claim: KubeObject, cluster: Cluster): readonly string[] {
  const users = cluster.podSpecs
    .filter(({ owner, spec }) => owner.namespace === claim.namespace && claimNames(spec).includes(claim.name))
    .map(({ owner }) => owner.service);
  return users.length > 0 ? [...new Set(users)] : [claim.service];
}

function claimNames(spec: unknown): readonly string[] {
  return listAt(spec, 'volumes').flatMap((volume) => textAt(volume, 'persistentVolumeClaim', 'claimName') ?? []);
}

/** Volumes that failed, or were released and so cannot be bound again. */
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
    const services = claim ? usersOf(claim, cluster) : [volume.service];
    return services.map((service) => ({
      object: volume,
      service,
      reason: 'VolumeFailed',
      statement: `is in phase Failed: ${message}`,
      severity: 0.8,
      type: 'config_change',
    }));
  });

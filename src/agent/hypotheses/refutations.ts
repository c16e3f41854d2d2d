import type { RootCauseType } from '../../domain/root-cause-type.ts';

/** What would speak against a cause of this kind: an observation that whoever tests it can look for. */
const REFUTED_BY: Readonly<Record<RootCauseType, string>> = {
  cpu_saturation: 'its processor time is not near its limit, or rose only after the symptom',
  memory_exhaustion: 'its memory is not near its limit, and nothing was killed or restarted for it',
  disk_full: 'its disk or volume has room, and no write failed',
  io_saturation: 'its disk is not busier than usual',
  network_latency: 'calls to it are as quick at its callers as inside it',
  network_loss: 'no packets, connections or calls to it are lost',
  connection_exhaustion: 'its pool or limit of connections is not used up',
  dependency_failure: 'what it calls answers as usual',
  database: 'its queries are as quick and as free of errors as before',
  queue_backlog: 'its backlog does not grow, or it is drained as quickly as before',
  traffic_surge: 'requests did not rise before the symptom',
  deployment_change: 'the symptom began before the rollout, or instances of the old version show it too',
  config_change: 'the symptom began before the change, or what was changed is not used there',
  scheduling: 'all its pods are scheduled and run',
  image_pull: 'its images were pulled',
  probe_failure: 'its probes pass, or fail only because what it calls is down',
  quota: 'no quota or limit refused anything',
  dns: 'names are resolved as usual',
  certificate: 'certificates are valid, and no handshake fails',
  permission: 'nothing is denied',
  code_error: 'its own errors are not new, or come from what it calls',
  node_failure: 'its nodes are ready, and others on them are well',
  external_provider: 'calls to the outside succeed as usual',
  none: 'something that is measured left its usual range at the time of the alert',
  unknown: 'it changed only after others had, or not at all',
};

export function refutationOf(type: RootCauseType, service: string | null): string {
  const order = service === null ? '' : '; or others changed before it';
  return `${REFUTED_BY[type]}${type === 'unknown' ? '' : order}`;
}

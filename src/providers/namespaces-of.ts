import type { Incident } from '../domain/incident.ts';
import type { Labels } from '../domain/labels.ts';

/** Of a scraped exporter `exported_namespace` is what it tells of, `namespace` where it runs. */
const NAMESPACE_LABELS = [
  'exported_namespace',
  'namespace',
  'kubernetes_namespace',
  'kube_namespace',
  'k8s_namespace_name',
  'k8s_namespace',
  'destination_workload_namespace',
  'destination_service_namespace',
] as const;

/** The namespaces that the labels of an incident and of its alerts (the firing ones, while any is) name, the likeliest first. Untrusted values. */
export function namespacesOf({ labels, alerts }: Incident): readonly string[] {
  const firing = alerts.filter(({ status }) => status === 'firing');
  const told = firing.length > 0 ? firing : alerts;
  const all: readonly Labels[] = [labels, ...told.map((one) => one.labels)];
  const names = NAMESPACE_LABELS.flatMap((label) => all.map((one) => one[label]));
  return [...new Set(names.filter((name): name is string => name !== undefined && name !== ''))];
}

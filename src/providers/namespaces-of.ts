import type { Incident } from '../domain/incident.ts';
import { NAMESPACE_LABELS, type Labels } from '../domain/labels.ts';

/** The namespaces that the labels of an incident and of its alerts (the firing ones, while any is) name, the likeliest first. Untrusted values. */
export function namespacesOf({ labels, alerts }: Incident): readonly string[] {
  const firing = alerts.filter(({ status }) => status === 'firing');
  const told = firing.length > 0 ? firing : alerts;
  const all: readonly Labels[] = [labels, ...told.map((one) => one.labels)];
  const names = NAMESPACE_LABELS.flatMap((label) => all.map((one) => one[label]));
  return [...new Set(names.filter((name): name is string => name !== undefined && name !== ''))];
}

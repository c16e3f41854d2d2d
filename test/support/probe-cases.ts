import type { KubernetesObject, MetricSeries } from '../../src/domain/telemetry.ts';
import { Probe, type ProbeOf } from '../../src/domain/probe.ts';

export const NOW_MS = Date.parse('2026-11-29T10:00:00Z');
export const MINUTE_MS = 60_000;

/** A probe as its file would be read. */
export function probe<K extends Probe['kind']>(kind: K, keys: Readonly<Record<string, unknown>>): ProbeOf<K> {
  return Probe.parse({ kind, name: 'tested', ...keys }) as ProbeOf<K>;
}

/** One sample a minute, the last of them now. */
export function everyMinute(values: readonly number[], changes: Partial<MetricSeries> = {}): MetricSeries {
  return {
    service: 'checkout',
    metric: 'latency',
    timesMs: Float64Array.from(values, (_, i) => NOW_MS - (values.length - 1 - i) * MINUTE_MS),
    values: Float64Array.from(values),
    ...changes,
  };
}

/** So long before now, as objects write it. */
export function ago(ms: number): string {
  return new Date(NOW_MS - ms).toISOString();
}

/** A pod of the deployment `payments`. */
export function pod(status: Readonly<Record<string, unknown>>, name = 'payments-6d5f8c7b9-x2x4z'): KubernetesObject {
  const ownerReferences = [{ kind: 'ReplicaSet', name: 'payments-6d5f8c7b9', controller: true }];
  const creationTimestamp = ago(86_400_000);
  return { kind: 'Pod', metadata: { name, namespace: 'shop', creationTimestamp, ownerReferences }, status };
}

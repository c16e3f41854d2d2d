import { randomBytes } from 'node:crypto';
import type { KubeApi } from './api.ts';
import { iso, type KubeletEvent } from './pod-status.ts';

export interface EventSubject {
  readonly kind: 'Pod' | 'Node';
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
}

/** Writes the event as the kubelet of `node` does: core/v1, with first and last time and a count. */
export async function recordEvent(api: KubeApi, about: EventSubject, node: string, event: KubeletEvent): Promise<void> {
  const namespace = about.namespace ?? 'default';
  await api.create(`/api/v1/namespaces/${namespace}/events`, {
    metadata: { name: `${about.name}.${randomBytes(8).toString('hex')}`, namespace },
    involvedObject: {
      ...about,
      apiVersion: 'v1',
      ...(event.container === undefined ? {} : { fieldPath: `spec.containers{${event.container}}` }),
    },
    type: event.type,
    reason: event.reason,
    message: event.message,
    firstTimestamp: iso(event.firstMs),
    lastTimestamp: iso(event.lastMs),
    count: event.count,
    source: { component: 'kubelet', host: node },
    reportingComponent: 'kubelet',
    reportingInstance: node,
  });
}

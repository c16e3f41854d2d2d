import { describe, expect, test } from '@jest/globals';
import { namespaceOf, serviceOf } from '../../../src/domain/labels.ts';

describe('the service an alert is about', () => {
  test.each([
    ['the label that says so', { service: 'checkout', deployment: 'checkout-v2', pod: 'checkout-v2-0' }, 'checkout'],
    ['the workload', { deployment: 'checkout', container: 'web' }, 'checkout'],
    ['the workload of a pod', { namespace: 'shop', pod: 'catalog-757c94d486-9kqx2' }, 'catalog'],
    ['the workload of a pod of a set', { namespace: 'shop', pod: 'ledger-0' }, 'ledger'],
    ['the instance, where nothing else is named', { instance: '10.0.0.7:8080' }, '10.0.0.7:8080'],
    ['nothing', { severity: 'critical' }, undefined],
  ])('is %s', (_, labels, service) => {
    expect(serviceOf(labels)).toBe(service);
  });

  const scraped = { job: 'kube-state-metrics', service: 'monitoring-kube-state-metrics', instance: '10.4.0.9:8080' };

  test('is not the exporter that tells of it', () => {
    const labels = { ...scraped, namespace: 'shop', pod: 'catalog-757c94d486-9kqx2', container: 'catalog' };
    expect(serviceOf(labels)).toBe('catalog');
    expect(serviceOf({ ...scraped, namespace: 'shop', deployment: 'basket' })).toBe('basket');
  });

  test('is what the exporter tells of, also where its own labels took the names', () => {
    const own = { ...scraped, namespace: 'monitoring', pod: 'monitoring-kube-state-metrics-6d5f8c7b9-x2x7k' };
    expect(serviceOf({ ...own, exported_pod: 'catalog-757c94d486-9kqx2' })).toBe('catalog');
    expect(serviceOf({ job: 'pushgateway', exported_job: 'nightly-backup' })).toBe('nightly-backup');
    expect(serviceOf({ service: 'ingress-controller', exported_service: 'basket' })).toBe('basket');
  });

  test('is the node of an alert about a node, whatever pod the exporter runs in', () => {
    const exporter = { container: 'kube-state-metrics', pod: 'monitoring-kube-state-metrics-6d5f8c7b9-x2x7k' };
    expect(serviceOf({ ...scraped, ...exporter, namespace: 'monitoring', node: 'worker-5' })).toBe('worker-5');
  });

  test('is the exporter when nothing else is named', () => {
    expect(serviceOf({ job: 'node-exporter', instance: '10.4.0.9:9100' })).toBe('node-exporter');
  });
});

test.each([
  ['that of the exporter goes behind the one it tells of', { namespace: 'monitoring', exported_namespace: 'shop' }],
  ['empty labels name none', { exported_namespace: '', namespace: 'shop' }],
  ['other systems have other labels', { k8s_namespace_name: 'shop' }],
])('the namespace an alert is about: %s', (_, labels) => {
  expect(namespaceOf(labels)).toBe('shop');
});

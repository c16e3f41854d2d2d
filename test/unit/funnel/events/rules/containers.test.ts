import {
  describeRules,
  setStatus,
  container,
  justRestarted,
  whileStarting,
  type RuleCase,
  type NearMiss,
} from '../rule-cases.ts';
import { at, find } from '../shop-cluster.ts';

const problems: readonly RuleCase[] = [
  {
    name: 'an image that cannot be pulled',
    change: setStatus('cart', {
      ready: false,
      state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } },
    }),
    reason: 'ImagePullBackOff',
    type: 'image_pull',
    minSeverity: 1,
  },
  {
    name: 'a crash loop takes its type from the last end',
    change: setStatus('cart', {
      ready: false,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: at(-30) } },
    }),
    reason: 'CrashLoopBackOff',
    type: 'memory_exhaustion',
    minSeverity: 0.9,
  },
  {
    name: 'a container that was killed for memory minutes ago',
    change: setStatus('cart', {
      restartCount: 2,
      lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: at(-120) } },
    }),
    reason: 'last OOMKilled',
    type: 'memory_exhaustion',
    minSeverity: 0.9,
  },
  {
    name: 'a container that ended with an error',
    change: setStatus('cart', { ready: false, state: { terminated: { reason: 'Error', exitCode: 1 } } }),
    reason: 'Error',
    type: 'code_error',
    minSeverity: 0.7,
  },
  {
    name: 'a container that runs without being ready',
    change: setStatus('cart', { ready: false }),
    reason: 'NotReady',
    type: 'probe_failure',
    minSeverity: 0.5,
  },
  {
    name: 'an evicted pod',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['status'] = {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'The node was low on resource: memory.',
      };
    },
    reason: 'Evicted',
    minSeverity: 0.8,
  },
  {
    name: 'two containers that open one port',
    change: whileStarting(
      (objects) =>
        void find(objects, 'Pod', 'cart')['spec'].containers.push({
          name: 'sidecar',
          ports: [{ containerPort: 8080 }],
        }),
    ),
    reason: 'PortConflict',
    minSeverity: 0.8,
  },
  {
    name: 'a probe that asks a closed port',
    change: whileStarting(
      (objects) => void (container(objects, 'cart')['readinessProbe'] = { httpGet: { port: 8081 } }),
    ),
    reason: 'ProbePortNotOpen readinessProbe',
    type: 'probe_failure',
    minSeverity: 0.7,
  },
  {
    name: 'a pod that cannot resolve Services',
    change: justRestarted((objects) => void (find(objects, 'Pod', 'cart')['spec'].dnsPolicy = 'Default')),
    reason: 'NoClusterDns',
    type: 'dns',
    minSeverity: 0.7,
  },

  {
    name: 'a command that is not there, by the exit code of the last start',
    change: setStatus('cart', {
      ready: false,
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 1m20s restarting failed container' } },
      lastState: { terminated: { reason: 'Error', exitCode: 127, finishedAt: at(-40) } },
    }),
    reason: 'CrashLoopBackOff',
    type: 'config_change',
    minSeverity: 0.95,
  },
  {
    name: 'an image for another processor',
    change: setStatus('cart', {
      ready: false,
      restartCount: 3,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: {
        terminated: {
          reason: 'StartError',
          exitCode: 128,
          message: 'exec /bin/server: exec format error',
          finishedAt: at(-20),
        },
      },
    }),
    reason: 'CrashLoopBackOff',
    type: 'config_change',
  },
  {
    name: 'a container that a liveness probe ends again and again',
    change: (objects) => {
      container(objects, 'cart')['livenessProbe'] = { httpGet: { path: '/alive', port: 8080 } };
      setStatus('cart', {
        restartCount: 5,
        lastState: { terminated: { reason: 'Error', exitCode: 137, finishedAt: at(-50) } },
      })(objects);
    },
    reason: 'last Error',
    type: 'probe_failure',
    minSeverity: 0.7,
  },
  {
    name: 'an init container that waits for something that does not come',
    change: (objects) => {
      const pod = find(objects, 'Pod', 'cart');
      pod['spec'].initContainers = [{ name: 'wait-for-store', image: 'busybox' }];
      pod['status'].phase = 'Pending';
      pod['status'].initContainerStatuses = [
        { name: 'wait-for-store', ready: false, restartCount: 0, state: { running: { startedAt: at(-900) } } },
      ];
      setStatus('cart', { ready: false, state: { waiting: { reason: 'PodInitializing' } } })(objects);
    },
    reason: 'InitUnfinished',
    type: 'dependency_failure',
  },
  {
    name: 'a probe that asks for another port than the liveness probe',
    change: (objects) => {
      Object.assign(container(objects, 'cart'), {
        readinessProbe: { httpGet: { port: 8081 } },
        livenessProbe: { httpGet: { port: 8080 } },
      });
      delete container(objects, 'cart')['ports'];
      setStatus('cart', { ready: false })(objects);
    },
    reason: 'ProbesDisagree readinessProbe',
    type: 'probe_failure',
  },
  {
    name: 'a readiness probe that starts in an hour',
    change: (objects) => {
      container(objects, 'cart')['readinessProbe'] = { httpGet: { port: 8080 }, initialDelaySeconds: 3600 };
      setStatus('cart', { ready: false })(objects);
    },
    reason: 'ProbeDelayed readinessProbe',
    minSeverity: 0.7,
  },
  {
    name: 'a pod that its node cannot end',
    change: (objects) => void (find(objects, 'Pod', 'cart')['metadata'].deletionTimestamp = at(-600)),
    reason: 'StuckTerminating',
  },
  {
    name: 'a container that is told to listen elsewhere than its ports say',
    change: (objects) => void (container(objects, 'cart')['env'] = [{ name: 'PORT', value: '9090' }]),
    reason: 'ListensElsewhere PORT',
  },
  {
    name: 'a limit in which nothing starts',
    change: (objects) => {
      container(objects, 'cart')['resources'] = { limits: { memory: '4Mi' } };
      setStatus('cart', { ready: false })(objects);
    },
    reason: 'TinyLimit memory',
    type: 'memory_exhaustion',
  },

  {
    name: 'a variable that is listed twice',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['metadata'].creationTimestamp = at(-300);
      container(objects, 'cart')['env'] = [
        { name: 'STORE_URL', value: 'http://store:80' },
        { name: 'STORE_URL', value: 'http://localhost:80' },
      ];
    },
    reason: 'DoubledVariable STORE_URL',
    type: 'config_change',
  },
];

/** One step from a problem, and none: what must not be reported. */
const nearMisses: readonly NearMiss[] = [
  {
    name: 'a container that is being created for a minute',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['metadata'].creationTimestamp = at(-60);
      setStatus('cart', { state: { waiting: { reason: 'ContainerCreating' } } })(objects);
    },
  },
  {
    name: 'a container that ended well',
    change: setStatus('cart', { state: { terminated: { reason: 'Completed', exitCode: 0 } } }),
  },
  {
    name: 'a container that was stopped in order',
    change: setStatus('cart', { lastState: { terminated: { reason: 'Error', exitCode: 143, finishedAt: at(-60) } } }),
  },
  {
    name: 'a pod that is being deleted is rightly not ready',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['metadata'].deletionTimestamp = at(-5);
      setStatus('cart', { ready: false })(objects);
    },
  },
  {
    name: 'a pod that did its work',
    change: (objects) => void (find(objects, 'Pod', 'cart')['status'] = { phase: 'Succeeded' }),
  },
  {
    name: 'two containers that open one number by different protocols',
    change: (objects) =>
      find(objects, 'Pod', 'cart')['spec'].containers.push({
        name: 'sidecar',
        ports: [{ containerPort: 8080, protocol: 'UDP' }],
      }),
  },
  {
    name: 'a probe that asks a named port',
    change: (objects) => void (container(objects, 'cart')['readinessProbe'] = { httpGet: { port: 'http' } }),
  },
  {
    name: 'a pod on the host network with the name servers of the node',
    change: (objects) =>
      Object.assign(find(objects, 'Pod', 'cart')['spec'], { dnsPolicy: 'Default', hostNetwork: true }),
  },

  {
    name: 'a sidecar that is meant to run on as an init container',
    change: (objects) => {
      const pod = find(objects, 'Pod', 'cart');
      pod['spec'].initContainers = [{ name: 'proxy', restartPolicy: 'Always' }];
      pod['status'].initContainerStatuses = [
        { name: 'proxy', ready: false, restartCount: 0, state: { running: { startedAt: at(-9000) } } },
      ];
    },
  },
  {
    name: 'a probe that a sidecar answers',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['spec'].containers.push({ name: 'proxy', ports: [{ containerPort: 15020 }] });
      container(objects, 'cart')['readinessProbe'] = { httpGet: { port: 15020 } };
    },
  },
  {
    name: 'a container that is told to listen on its port',
    change: (objects) => void (container(objects, 'cart')['env'] = [{ name: 'PORT', value: '8080' }]),
  },
];

describeRules('containers and pods', problems, nearMisses);

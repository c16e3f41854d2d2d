import type { Rule } from '../condition.ts';
import { groupBy } from '../group-by.ts';
import { listAt, numberAt, textAt } from '../json-path.ts';
import { newestPodMs, noveltyOf } from './pod-life.ts';

/** Variables by which programs are commonly told where to listen. */
const PORT_VARIABLE = /^(PORT|(SERVER|LISTEN|HTTP|GRPC|APP|SERVICE|CONTAINER)_PORT)$/i;

/** A container that is told to listen on a port which its own list of ports does not have. */
export const listeningPorts: Rule = (cluster, { triggerMs }) => {
  const novelty = noveltyOf(cluster, triggerMs);
  return cluster.podSpecs.flatMap(({ owner, spec }) =>
    listAt(spec, 'containers').flatMap((container) => {
      const opened = listAt(container, 'ports').flatMap((port) => numberAt(port, 'containerPort') ?? []);
      const told = listAt(container, 'env').filter((entry) => PORT_VARIABLE.test(textAt(entry, 'name') ?? ''));
      return told.flatMap((entry) => {
        const port = numberAt(entry, 'value');
        if (port === undefined || opened.length === 0 || opened.includes(port)) return [];
        return {
          object: owner,
          service: owner.service,
          reason: `ListensElsewhere ${textAt(entry, 'name')}`,
          statement: `tells container ${textAt(container, 'name') ?? '(unnamed)'} by ${textAt(entry, 'name')} to listen on ${port}; its declared ports are ${opened.join(', ')}`,
          severity: 0.7 * novelty(owner.service),
          type: 'config_change' as const,
          numbers: [port, ...opened.slice(0, 6)],
        };
      });
    }),
  );
};

/** A variable that is listed twice with two values: the later one counts, whichever was meant. */
export const doubledVariables: Rule = (cluster, { triggerMs }) => {
  const novelty = noveltyOf(cluster, triggerMs);
  return cluster.podSpecs.flatMap(({ owner, spec }) =>
    listAt(spec, 'containers').flatMap((container) => {
      const env = listAt(container, 'env');
      const nameOf = (entry: unknown) => textAt(entry, 'name') ?? '';
      if (new Set(env.map(nameOf)).size === env.length) return [];
      const values = groupBy(env, nameOf);
      return [...values].flatMap(([name, entries]) => {
        const different = new Set(entries.map((entry) => JSON.stringify(entry)));
        if (different.size < 2) return [];
        return {
          object: owner,
          service: owner.service,
          reason: `DoubledVariable ${name}`,
          statement: `sets variable ${name} of container ${textAt(container, 'name') ?? '(unnamed)'} ${entries.length} times; the last one counts`,
          severity: 0.75 * novelty(owner.service),
          type: 'config_change' as const,
          atMs: newestPodMs(owner.service, cluster, triggerMs),
        };
      });
    }),
  );
};

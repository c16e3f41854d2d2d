import type { Condition, Rule } from '../condition.ts';
import { at, listAt, textAt, textsAt } from '../json-path.ts';
import { parseQuantity } from '../quantity.ts';

const RESOURCES = ['cpu', 'memory', 'ephemeral-storage'] as const;

/** Containers that a LimitRange of their namespace refuses: what runs was let in before, new pods are not. */
export const limitRanges: Rule = (cluster) =>
  cluster.podSpecs.flatMap(({ owner, spec }) => {
    const ranges = cluster.of('LimitRange').filter(({ namespace }) => namespace === owner.namespace);
    // A pod that exists was let in.
    if (ranges.length === 0 || owner.kind === 'Pod') return [];
    const severity = cluster.isServing(owner.service) ? 0.4 : 0.92;
    return ranges.flatMap((range) =>
      listAt(range.body, 'spec', 'limits')
        .filter((limit) => textAt(limit, 'type') === 'Container')
        .flatMap((limit) => listAt(spec, 'containers').flatMap((container) => breaches(container, limit)))
        .map((breach): Condition => ({
          object: range,
          service: owner.service,
          reason: 'OutsideLimitRange',
          statement: `refuses pods of ${owner.service}: ${breach}`,
          severity,
          type: 'quota',
        })),
    );
  });

function breaches(container: unknown, limit: unknown): readonly string[] {
  return RESOURCES.flatMap((resource) => {
    const name = textAt(container, 'name') ?? '(unnamed)';
    const [most, least] = [textsAt(limit, 'max')[resource], textsAt(limit, 'min')[resource]];
    const limited = at(container, 'resources', 'limits', resource);
    const requested = at(container, 'resources', 'requests', resource) ?? limited;
    return [
      ...(parseQuantity(limited) > parseQuantity(most)
        ? [`container ${name} has a limit of ${String(limited)} ${resource}, the maximum is ${most}`]
        : []),
      ...(parseQuantity(requested) < parseQuantity(least)
        ? [`container ${name} requests ${String(requested)} ${resource}, the minimum is ${least}`]
        : []),
    ];
  });
}

/** Memory that no common process starts in, and processor time too small to answer a probe. */
const TINY_MEMORY = 8 * 2 ** 20;
const TINY_CPU = 0.01;

/** Limits so small that hardly any process lives within them: of memory it never starts, of processor time it answers in seconds. */
export const tinyLimits: Rule = (cluster) =>
  cluster.podSpecs.flatMap(({ owner, spec }) => {
    const isServing = cluster.isServing(owner.service);
    return listAt(spec, 'containers').flatMap((container): readonly Condition[] => {
      const memory = parseQuantity(at(container, 'resources', 'limits', 'memory'));
      const cpu = parseQuantity(at(container, 'resources', 'limits', 'cpu'));
      const isMemory = memory <= TINY_MEMORY && !isServing;
      // Helpers beside a server, which open no port, may live on very little.
      const isCpu = cpu < TINY_CPU && listAt(container, 'ports').length > 0;
      if (!isMemory && !isCpu) return [];
      const resource = isMemory ? 'memory' : 'cpu';
      return [
        {
          object: owner,
          service: owner.service,
          reason: `TinyLimit ${resource}`,
          statement: `limits container ${textAt(container, 'name') ?? '(unnamed)'} to ${String(at(container, 'resources', 'limits', resource))} ${resource}`,
          severity: isServing ? 0.65 : 0.85,
          type: isMemory ? 'memory_exhaustion' : 'cpu_saturation',
        },
      ];
    });
  });

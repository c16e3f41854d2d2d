import { listAt, textAt, timeAt } from '../../events/json-path.ts';
import { conditionOf, lasts, MINUTE_MS, type StateRule } from './state-rule.ts';

const PRESSURES: ReadonlySet<string> = new Set(['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable']);

export const nodeNotReady: StateRule = {
  kinds: ['Node'],
  limit: 'ready',
  judge: (node, options) => {
    const condition = conditionOf(node, 'Ready');
    // Of a node that does not answer the state is Unknown.
    if (condition === undefined || textAt(condition, 'status') === 'True') return undefined;
    const sinceMs = timeAt(condition, 'lastTransitionTime');
    if (!lasts(sinceMs, options, 2 * MINUTE_MS)) return undefined;
    const why = textAt(condition, 'reason') ?? 'no reason given';
    return { what: `is not ready (${why})`, value: `not ready: ${why}`, sinceMs, type: 'node_failure' };
  },
};

export const nodePressure: StateRule = {
  kinds: ['Node'],
  limit: 'no pressure',
  judge: (node, options) => {
    const pressing = listAt(node, 'status', 'conditions').filter(
      (condition) => PRESSURES.has(textAt(condition, 'type') ?? '') && textAt(condition, 'status') === 'True',
    );
    const [first] = pressing;
    const sinceMs = timeAt(first, 'lastTransitionTime');
    if (first === undefined || !lasts(sinceMs, options, MINUTE_MS)) return undefined;
    const names = pressing.map((condition) => textAt(condition, 'type')).join(', ');
    return { what: `reports ${names}`, value: names, sinceMs, type: 'node_failure' };
  },
};

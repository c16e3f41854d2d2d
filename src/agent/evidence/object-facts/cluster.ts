import type { KubernetesObject } from '../../../domain/telemetry.ts';
import { at, listAt, numberAt, textAt, textsAt } from '../../../funnel/events/json-path.ts';
import { parseQuantity } from '../../../funnel/events/quantity.ts';
import { judgeName } from '../../../policy/redaction/names.ts';
import { momentText } from '../moments.ts';
import { badConditions, eachText, fact, facts, pairs, quoted, type DescribeObject } from './facts.ts';

const NODE_BAD = /Pressure$|Problem|Unavailable$|Deadlock|Frequent|Readonly|Corrupt/;

export const describeNode: DescribeObject = (node, triggerMs) => {
  const conditions = badConditions(node, NODE_BAD, triggerMs);
  const isCordoned = at(node, 'spec', 'unschedulable') === true;
  const taints = listAt(node, 'spec', 'taints').map(
    (taint) =>
      `${textAt(taint, 'key') ?? '?'}${textAt(taint, 'value') ? `=${textAt(taint, 'value')}` : ''}:${textAt(taint, 'effect') ?? '?'}`,
  );
  return {
    state: [
      conditions.length === 0 ? 'ready, no bad condition' : conditions.join('; '),
      ...(isCordoned ? ['cordoned'] : []),
      ...facts('taints', taints),
    ],
    spec: [
      ...facts('allocatable', pairs(node, 'status', 'allocatable')),
      ...fact('kubelet', textAt(node, 'status', 'nodeInfo', 'kubeletVersion')),
      ...facts('labels', pairs(node, 'metadata', 'labels'), 8),
    ],
    isNotable: conditions.length > 0 || isCordoned,
  };
};

export const describeClaim: DescribeObject = (claim) => {
  const phase = textAt(claim, 'status', 'phase');
  return {
    state: [
      ...(phase ? [phase] : []),
      ...fact('capacity', textAt(claim, 'status', 'capacity', 'storage')),
      ...fact('asks for', textAt(claim, 'spec', 'resources', 'requests', 'storage')),
      ...fact('class', textAt(claim, 'spec', 'storageClassName')),
      ...fact('volume', textAt(claim, 'spec', 'volumeName')),
    ],
    spec: facts(
      'access',
      listAt(claim, 'spec', 'accessModes').filter((mode) => typeof mode === 'string'),
    ),
    isNotable: phase !== undefined && phase !== 'Bound',
  };
};

export const describeVolume: DescribeObject = (volume) => {
  const phase = textAt(volume, 'status', 'phase');
  return {
    state: [
      ...(phase ? [phase] : []),
      ...fact('claim', textAt(volume, 'spec', 'claimRef', 'name')),
      ...fact('capacity', textAt(volume, 'spec', 'capacity', 'storage')),
      ...fact('class', textAt(volume, 'spec', 'storageClassName')),
      ...fact('message', textAt(volume, 'status', 'message')),
    ],
    spec: fact('reclaim policy', textAt(volume, 'spec', 'persistentVolumeReclaimPolicy')),
    isNotable: phase === 'Failed' || phase === 'Released',
  };
};

export const describeQuota: DescribeObject = (quota) => {
  const [hard, used] = [textsAt(quota, 'status', 'hard'), textsAt(quota, 'status', 'used')];
  const limits = Object.keys(hard).length > 0 ? hard : textsAt(quota, 'spec', 'hard');
  // What is no quantity compares as false.
  const isFull = (name: string) => parseQuantity(used[name]) >= parseQuantity(limits[name]);
  const full = Object.keys(limits).filter(isFull);
  return {
    state: [
      ...facts(
        'used',
        Object.keys(limits).map((name) => `${name} ${used[name] ?? '?'} of ${limits[name]}`),
        20,
      ),
      ...facts('used up', full),
    ],
    spec: [],
    isNotable: full.length > 0,
  };
};

/** A value may be a whole file: its beginning tells what it is. */
const FILE_CHARACTERS = 400;

/** Keys with their values; of what is named like a secret only that it is there. */
export const describeConfigMap: DescribeObject = (map) => {
  const entries = Object.entries(textsAt(map, 'data'));
  return {
    state: [`${entries.length} keys`],
    spec: facts(
      'data',
      entries.map(([key, value]) => (judgeName(key) ? `${key}=<hidden>` : `${key}=${quoted(value, FILE_CHARACTERS)}`)),
      30,
    ),
    isNotable: false,
  };
};

export const describeBinding: DescribeObject = (binding) => ({
  state: [
    `gives ${textAt(binding, 'roleRef', 'kind') ?? 'role'} ${textAt(binding, 'roleRef', 'name') ?? '?'}`,
    ...facts('to', eachText(binding, ['subjects'], 'name')),
  ],
  spec: [],
  isNotable: false,
});

export const describeLease: DescribeObject = (lease, triggerMs) => {
  const renewedMs = Date.parse(textAt(lease, 'spec', 'renewTime') ?? '');
  return {
    state: [
      ...fact('held by', textAt(lease, 'spec', 'holderIdentity')),
      ...(Number.isNaN(renewedMs) ? [] : [`renewed ${momentText(renewedMs, triggerMs)}`]),
      ...fact('for seconds', numberAt(lease, 'spec', 'leaseDurationSeconds')),
    ],
    spec: [],
    isNotable: false,
  };
};

const BROKEN = /Fail|Degraded|Stalled|Error|Pressure/;

/** Any other kind: its conditions, the plain values of status and spec, and its lists. */
export const describeOther: DescribeObject = (object, triggerMs) => {
  const conditions = badConditions(object, BROKEN, triggerMs);
  return {
    state: [...conditions, ...facts('status', pairs(object, 'status'))],
    spec: [...facts('spec', pairs(object, 'spec')), ...listFacts(object)],
    isNotable: conditions.length > 0,
  };
};

/** Rules of a role, webhooks of a configuration: what has neither spec nor status. */
function listFacts(object: KubernetesObject): readonly string[] {
  return Object.entries(object).flatMap(([name, items]) =>
    Array.isArray(items)
      ? facts(
          name,
          items.map((item) => JSON.stringify(item)),
          5,
        )
      : [],
  );
}

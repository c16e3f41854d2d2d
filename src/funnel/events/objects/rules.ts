import type { Rule } from '../condition.ts';
import { roleBindings } from './access.ts';
import { autoscalers } from './autoscalers.ts';
import { environmentAddresses } from './env-addresses.ts';
import { networkPolicies } from './network-policies.ts';
import { cordonedNodes, nodeConditions, nodeLeases } from './nodes.ts';
import { containerStates } from './pod-containers.ts';
import { podPhases } from './pod-phase.ts';
import { podSpecs } from './pod-spec.ts';
import { podTableRows } from './pod-table.ts';
import { exhaustedQuotas } from './quotas.ts';
import { danglingReferences } from './references.ts';
import { emptyEndpoints, foreignSelectors, serviceRouting, unreachedPods } from './service-routing.ts';
import { failedVolumes, volumeClaims } from './volumes.ts';
import { daemonSets, jobs, replicaCounts, workloadConditions } from './workloads.ts';

/** Every rule. To add one: write it in a file of its idea and name it here. */
export const RULES: readonly Rule[] = [
  containerStates,
  podPhases,
  podTableRows,
  podSpecs,
  danglingReferences,
  environmentAddresses,
  serviceRouting,
  emptyEndpoints,
  foreignSelectors,
  unreachedPods,
  replicaCounts,
  workloadConditions,
  daemonSets,
  jobs,
  autoscalers,
  exhaustedQuotas,
  volumeClaims,
  failedVolumes,
  networkPolicies,
  roleBindings,
  nodeConditions,
  cordonedNodes,
  nodeLeases,
];

import type { Rule } from '../condition.ts';
import { roleBindings } from './access.ts';
import { configuredAddresses } from './addresses-used.ts';
import { autoscalers } from './autoscalers.ts';
import { nameServerConfig, nameServerEndpoints } from './dns.ts';
import { ingresses } from './ingresses.ts';
import { jobs, suspendedSchedules } from './jobs.ts';
import { limitRanges, tinyLimits } from './limits.ts';
import { networkPolicies } from './network-policies.ts';
import { cordonedNodes, evictingTaints, nodeConditions, nodeLeases } from './nodes.ts';
import { doubledVariables, listeningPorts } from './pod-config.ts';
import { containerStates } from './pod-containers.ts';
import { podPhases } from './pod-phase.ts';
import { podSpecs } from './pod-spec.ts';
import { podTableRows } from './pod-table.ts';
import { probes } from './probes.ts';
import { exhaustedQuotas } from './quotas.ts';
import { danglingReferences } from './references.ts';
import { hostPorts, placements } from './scheduling.ts';
import { emptyEndpoints, foreignSelectors, serviceRouting, unreachedPods } from './service-routing.ts';
import { idleControllers, idleScheduler, systemComponents } from './system-components.ts';
import { failedVolumes, sharedClaims, volumeClaims } from './volumes.ts';
import { daemonSets, pausedRollouts, replicaCounts, stuckOrdinals, workloadConditions } from './workloads.ts';

/** Every rule. To add one: write it in a file of its idea and name it here. */
export const RULES: readonly Rule[] = [
  containerStates,
  podPhases,
  podTableRows,
  podSpecs,
  probes,
  listeningPorts,
  doubledVariables,
  placements,
  hostPorts,
  limitRanges,
  tinyLimits,
  danglingReferences,
  configuredAddresses,
  serviceRouting,
  emptyEndpoints,
  foreignSelectors,
  unreachedPods,
  ingresses,
  replicaCounts,
  workloadConditions,
  pausedRollouts,
  daemonSets,
  stuckOrdinals,
  jobs,
  suspendedSchedules,
  autoscalers,
  exhaustedQuotas,
  volumeClaims,
  failedVolumes,
  sharedClaims,
  networkPolicies,
  roleBindings,
  nodeConditions,
  cordonedNodes,
  nodeLeases,
  evictingTaints,
  systemComponents,
  idleScheduler,
  idleControllers,
  nameServerConfig,
  nameServerEndpoints,
];

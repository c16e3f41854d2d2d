import type { ServiceMap } from '../services.ts';
import { serviceAt, type AddressUse } from './addresses.ts';
import type { Cluster } from './cluster.ts';

/** Who calls whom, by the call graph and by the addresses that pods are configured with. */
export interface Calls {
  /** False when nothing tells of any call: then not to be called means nothing. */
  readonly isKnown: boolean;
  callees(service: string): ReadonlySet<string>;
  callers(service: string): ReadonlySet<string>;
  /** Everything the service depends on by calls, directly or not; not itself. */
  reached(service: string): ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export function readCalls(services: ServiceMap, uses: readonly AddressUse[], cluster: Pick<Cluster, 'find'>): Calls {
  const callees = new Map<string, Set<string>>();
  const callers = new Map<string, Set<string>>();
  const add = (from: string, to: string) => {
    if (from === to) return;
    callees.set(from, (callees.get(from) ?? new Set()).add(to));
    callers.set(to, (callers.get(to) ?? new Set()).add(from));
  };
  for (const from of services.names) for (const to of services.callees(from)) add(from, to);
  for (const { owner, address } of uses) {
    const target = serviceAt(address, owner, cluster)?.service ?? services.canonical(address.host);
    if (address.isSure || services.has(target)) add(owner.service, target);
  }
  const known = new Map<string, ReadonlySet<string>>();
  return {
    isKnown: callees.size > 0,
    callees: (service) => callees.get(service) ?? NONE,
    callers: (service) => callers.get(service) ?? NONE,
    reached: (service) => {
      const reached = known.get(service) ?? reachedFrom(service, callees);
      known.set(service, reached);
      return reached;
    },
  };
}

function reachedFrom(service: string, callees: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set(callees.get(service) ?? NONE);
  // A set hands out what is added while it is walked.
  for (const next of reached) for (const callee of callees.get(next) ?? NONE) reached.add(callee);
  reached.delete(service);
  return reached;
}

import type { KubernetesObject } from '../../domain/telemetry.ts';
import { textAt } from '../events/json-path.ts';

/** How resolvers of the common languages say that they found no such name, or nobody to ask (Go names the step: `dial tcp: lookup ledger: i/o timeout`). */
const UNRESOLVED =
  /no such host|name resolution|nxdomain|unknownhost|name or service not known|enotfound|eai_again|could not resolve|getaddrinfo|dial (tcp|udp): lookup /i;
/** An answer, or a refusal by the address itself: whoever got that had resolved the name. */
const REACHED =
  /refused|reset by peer|econnre(fused|set)|\bstatus\D{0,12}[45]\d\d\b|\b50[0-4] (server|internal|bad|service|gateway)\b/i;

export const isUnresolved = (message: string): boolean => UNRESOLVED.test(message);
export const isReached = (message: string): boolean => REACHED.test(message);

/** What the error lines of a service, of one template, say of other services' names. */
export interface Lookups {
  readonly service: string;
  /** Lines that name another service whose name did not resolve. */
  readonly unresolved: number;
  /** Lines that name another service that was reached. */
  readonly reached: number;
}

/**
 * The only service whose lookups fail while others reach whom they call. One name server answers all, so what is wrong lies with that one: its
 * resolver's settings, a policy that keeps it from the name server, a misspelt name. Undefined where several fail, or nobody shows that names resolve.
 */
export function failsAlone(all: readonly Lookups[]): string | undefined {
  const failing = new Set(all.filter(({ unresolved }) => unresolved > 0).map(({ service }) => service));
  const [alone] = failing;
  if (alone === undefined || failing.size > 1) return undefined;
  return all.some(({ service, reached }) => service !== alone && reached > 0) ? alone : undefined;
}

/** Names of Services that resolve whether their pods are ready or not. One without an address of its own stands for its ready pods: without any it has no name. */
export function lastingNames(objects: readonly KubernetesObject[]): ReadonlySet<string> {
  const services = objects.filter(
    (body) => textAt(body, 'kind') === 'Service' && textAt(body, 'spec', 'clusterIP') !== 'None',
  );
  return new Set(services.flatMap((body) => textAt(body, 'metadata', 'name') ?? []));
}

import type { ServiceMap } from '../services.ts';

/** The shortest way from `suspect` along its callers to the alerting service, both included; undefined when there is none. */
export function callPath(services: ServiceMap, suspect: string): readonly string[] | undefined {
  const { alerting } = services;
  if (alerting === undefined) return undefined;
  const cameFrom = new Map<string, string | undefined>([[suspect, undefined]]);
  const queue = [suspect];
  for (let service = queue.shift(); service !== undefined; service = queue.shift()) {
    if (service === alerting) return trace(cameFrom, alerting);
    for (const caller of services.callers(service)) {
      if (cameFrom.has(caller)) continue;
      cameFrom.set(caller, service);
      queue.push(caller);
    }
  }
  return undefined;
}

function trace(cameFrom: ReadonlyMap<string, string | undefined>, end: string): readonly string[] {
  const path = [end];
  for (let previous = cameFrom.get(end); previous !== undefined; previous = cameFrom.get(previous)) path.push(previous);
  return path.reverse();
}

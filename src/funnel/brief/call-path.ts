import type { ServiceMap } from '../services.ts';

/**
 * The shortest way from `suspect` along its callers to the alerting service, both included; undefined when there is none. Of several equally
 * short ones the one over the callers with the higher `scoreOf`: the trouble went where it shows; then by name.
 */
export function callPath(
  services: Pick<ServiceMap, 'alerting' | 'callers'>,
  suspect: string,
  scoreOf: (service: string) => number,
): readonly string[] | undefined {
  const { alerting } = services;
  if (alerting === undefined) return undefined;
  const cameFrom = new Map<string, string | undefined>([[suspect, undefined]]);
  const queue = [suspect];
  for (let service = queue.shift(); service !== undefined; service = queue.shift()) {
    if (service === alerting) return trace(cameFrom, alerting);
    const callers = [...services.callers(service)].sort((a, b) => scoreOf(b) - scoreOf(a) || (a < b ? -1 : 1));
    for (const caller of callers) {
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

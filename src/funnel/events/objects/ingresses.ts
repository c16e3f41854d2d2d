import type { Condition, Rule } from '../condition.ts';
import { at, listAt, numberAt, textAt } from '../json-path.ts';

/** Ingresses that lead to a Service, or a port of it, that is not there. */
export const ingresses: Rule = (cluster, context) =>
  cluster.of('Ingress').flatMap((ingress) =>
    backendsOf(ingress.body).flatMap((backend): readonly Condition[] => {
      const name = textAt(backend, 'service', 'name') ?? textAt(backend, 'serviceName');
      if (name === undefined || !cluster.wasRead('Service', ingress.namespace)) return [];
      const service = cluster.find('Service', ingress.namespace, name);
      const port = portOf(backend);
      const ports = listAt(service?.body, 'spec', 'ports');
      const numbers = ports.flatMap((one) => numberAt(one, 'port') ?? []);
      const names = ports.flatMap((one) => textAt(one, 'name') ?? []);
      if (service && mayOffer(typeof port === 'string' ? names : numbers, port)) return [];
      return [
        {
          object: ingress,
          service: service?.service ?? context.services.canonical(name),
          reason: service ? `IngressPort ${name}` : `IngressNoService ${name}`,
          statement: service
            ? `leads to port ${port} of Service ${name}, which offers ${[...numbers, ...names].slice(0, 6).join(', ')}`
            : `leads to Service ${name}, which does not exist`,
          severity: 0.85,
          type: 'config_change',
        },
      ];
    }),
  );

/** Numbers or names of ports may not have been recorded: then nothing can be said of one. */
function mayOffer(known: readonly (string | number)[], port: string | number | undefined): boolean {
  return port === undefined || known.length === 0 || known.includes(port);
}

/** Default backend first; `extensions/v1beta1` spelled the parts of a backend in one level. */
function backendsOf(body: unknown): readonly unknown[] {
  const fallback = at(body, 'spec', 'defaultBackend') ?? at(body, 'spec', 'backend');
  const ruled = listAt(body, 'spec', 'rules')
    .flatMap((rule) => listAt(rule, 'http', 'paths'))
    .map((path) => at(path, 'backend'));
  return [...(fallback === undefined ? [] : [fallback]), ...ruled];
}

function portOf(backend: unknown): string | number | undefined {
  const number = numberAt(backend, 'service', 'port', 'number') ?? numberAt(backend, 'servicePort');
  return number ?? textAt(backend, 'service', 'port', 'name') ?? textAt(backend, 'servicePort');
}

import type { Cluster, PodSpec } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { groupBy } from '../group-by.ts';
import { at, hasAt, listAt, numberAt, textAt } from '../json-path.ts';

const PROBES = ['readinessProbe', 'livenessProbe', 'startupProbe'] as const;

/** Longest wait before a first probe that is still meant seriously; API default is 0. */
const LONG_DELAY_S = 300;

interface ProbeView {
  readonly podSpec: PodSpec;
  readonly container: unknown;
  readonly kind: (typeof PROBES)[number];
  readonly probe: unknown;
  /** How far a contradiction is confirmed by what the pods show. */
  readonly weight: number;
}

/** Probes that cannot succeed, by what the pod itself opens and by what its other probes ask. Pods that are ready passed theirs. */
export const probes: Rule = (cluster) => {
  const byService = groupBy(cluster.podSpecs, ({ owner }) => owner.service);
  return [...byService].flatMap(([service, specs]) => {
    if (cluster.isServing(service)) return [];
    const weigh = confirmedBy(service, cluster);
    return specs.flatMap((podSpec) =>
      listAt(podSpec.spec, 'containers').flatMap((container) =>
        PROBES.flatMap((kind) => {
          const probe = at(container, kind);
          if (probe === undefined) return [];
          const view = { podSpec, container, kind, probe, weight: weigh(kind) };
          return [...closedPort(view), ...disagreement(view), ...longDelay(view)];
        }),
      ),
    );
  });
};

/** What is left of the weight of a contradiction that no pod shows. */
const UNCONFIRMED = 0.85;

/** A pod that runs without being ready, or is ended again and again, shows that a probe fails. */
function confirmedBy(service: string, cluster: Cluster): (kind: ProbeView['kind']) => number {
  const statuses = cluster.podsOfService(service).flatMap((pod) => listAt(pod.body, 'status', 'containerStatuses'));
  const isUnready = statuses.some((one) => at(one, 'ready') === false && hasAt(one, 'state', 'running'));
  const isRestarted = statuses.some((one) => (numberAt(one, 'restartCount') ?? 0) > 0);
  return (kind) => ((kind === 'readinessProbe' ? isUnready : isRestarted) ? 1 : UNCONFIRMED);
}

function problem(
  { podSpec: { owner }, container, kind, weight }: ProbeView,
  reason: string,
  statement: string,
  severity: number,
): readonly Condition[] {
  return [
    {
      object: owner,
      service: owner.service,
      reason: `${reason} ${kind}`,
      statement: `${kind} of container ${textAt(container, 'name') ?? '(unnamed)'} ${statement}`,
      severity: severity * weight,
      type: 'probe_failure',
    },
  ];
}

/** A probe that asks a port which no container of the pod opens. Containers without recorded ports are not judged. */
function closedPort(view: ProbeView): readonly Condition[] {
  const asked = portOf(view.probe);
  // A pod has one network: a sidecar may answer for its neighbour. Names are looked up in the container itself.
  const isNamed = asked !== undefined && !/^\d+$/.test(asked);
  const containers = isNamed ? [view.container] : listAt(view.podSpec.spec, 'containers');
  const ports = containers.flatMap((container) => listAt(container, 'ports'));
  const opened = ports.flatMap((port) => String(numberAt(port, 'containerPort') ?? ''));
  const names = ports.flatMap((port) => textAt(port, 'name') ?? []);
  const known = isNamed ? names : opened;
  // Port names may not have been recorded.
  if (asked === undefined || known.length === 0 || known.includes(asked)) return [];
  const statement = `asks port ${asked}, which no container opens (they open ${[...opened, ...names].slice(0, 6).join(', ')})`;
  return problem(view, 'ProbePortNotOpen', statement, 0.88);
}

/** Two probes of one container that ask the same way but different ports or paths: one of them was changed. */
function disagreement(view: ProbeView): readonly Condition[] {
  if (view.kind !== 'readinessProbe') return [];
  const other = at(view.container, 'livenessProbe');
  const [way, otherWay] = [wayOf(view.probe), wayOf(other)];
  if (way === undefined || way !== otherWay) return [];
  const [port, otherPort] = [portOf(view.probe), portOf(other)];
  if (port === undefined || otherPort === undefined || port === otherPort) return [];
  return problem(view, 'ProbesDisagree', `asks port ${port}, its livenessProbe port ${otherPort}`, 0.65);
}

function longDelay(view: ProbeView): readonly Condition[] {
  const delayS = numberAt(view.probe, 'initialDelaySeconds') ?? 0;
  if (delayS < LONG_DELAY_S || view.kind !== 'readinessProbe') return [];
  return problem(view, 'ProbeDelayed', `starts only ${delayS} s after the container`, 0.8);
}

const WAYS = ['httpGet', 'tcpSocket', 'grpc'] as const;

const wayOf = (probe: unknown) => WAYS.find((way) => hasAt(probe, way));

function portOf(probe: unknown): string | undefined {
  const way = wayOf(probe);
  const port = way && (textAt(probe, way, 'port') ?? numberAt(probe, way, 'port'));
  return port === undefined ? undefined : String(port);
}

import type { ServiceMap } from '../services.ts';
import { templateOf, WORKLOADS, type Cluster, type KubeObject } from './cluster.ts';
import { at, listAt, numberAt, textAt } from './json-path.ts';
import { ownerReferences } from './ownership.ts';

/** What no chain of calls joins with the alert, in either direction, by how completely calls are known. */
const UNRELATED = { nearlyAll: 0.2, most: 0.5 } as const;
/** A job that failed is tried again, and who calls does not feel it, unless it was to prepare something for the others. */
const JOB = { related: 0.9, unknown: 0.5, unrelated: 0.3 } as const;
/** Shares of the workloads in order that are joined with the alert: from these on being outside means something. */
const MOST = 0.6;
const NEARLY_ALL = 0.85;

/**
 * How much trouble of a workload can matter to the alert by the calls that are known: a broken one that nothing joins with the alerting
 * service was mostly broken before and hurts nobody. 1 for everything else, and for all workloads where too few calls are known.
 */
export function relationWeights(cluster: Cluster, { alerting }: ServiceMap): (service: string) => number {
  const isHome = ({ namespace }: KubeObject) => namespace === cluster.home;
  const recorded = WORKLOADS.flatMap((kind) => cluster.of(kind)).filter(isHome);
  const meant = recorded.length > 0 ? recorded : cluster.of('Pod').filter((pod) => isHome(pod) && !isOfJob(pod));
  const stateful = new Set(meant.filter(({ kind }) => kind === 'StatefulSet').map(({ service }) => service));
  const all = new Set(meant.map(({ service }) => service));
  const running = new Set(
    meant.filter(({ body }) => numberAt(body, 'spec', 'replicas') !== 0).map(({ service }) => service),
  );
  const jobs = new Set(
    [...cluster.of('Job'), ...(recorded.length > 0 ? cluster.of('Pod') : [])]
      .filter((object) => isHome(object) && !all.has(object.service))
      .map(({ service }) => service),
  );
  const start = alerting ?? mostConnected([...running], cluster);
  const related = start === undefined ? new Set<string>() : joinedWith(start, cluster);
  // Those in order show how well calls are known; strays are mostly broken.
  const inOrder = [...running].filter((service) => cluster.isServing(service));
  const joined = inOrder.filter((service) => related.has(service)).length;
  const isKnown = joined >= 2 && joined >= MOST * inOrder.length;
  const unrelated = joined >= NEARLY_ALL * inOrder.length ? UNRELATED.nearlyAll : UNRELATED.most;
  const preparing = jobs.size > 0 ? sharingImages(related, cluster) : related;
  return (service) => {
    if (service === alerting) return 1;
    const isRelated = related.has(service) || preparing.has(service);
    const relation = isRelated ? 'related' : isKnown ? 'unrelated' : 'unknown';
    if (jobs.has(service)) return JOB[relation];
    // What holds data is mostly called by addresses that are kept in secrets.
    const isStray = relation === 'unrelated' && running.has(service);
    return !isStray ? 1 : stateful.has(service) ? UNRELATED.most : unrelated;
  };
}

const isOfJob = (pod: KubeObject) => ownerReferences(pod.body)[0]?.kind === 'Job';

/** Where the alert names no service, most of what is called belongs together. */
function mostConnected(services: readonly string[], { calls }: Cluster): string | undefined {
  const degree = (service: string) => calls.callees(service).size + calls.callers(service).size;
  return services.toSorted((a, b) => degree(b) - degree(a) || (a < b ? -1 : 1)).find((service) => degree(service) > 0);
}

function joinedWith(start: string, { calls }: Cluster): ReadonlySet<string> {
  const joined = new Set([start]);
  // A set hands out what is added while it is walked.
  for (const service of joined) {
    for (const other of [...calls.callees(service), ...calls.callers(service)]) joined.add(other);
  }
  return joined;
}

/** Services that run an image of a related one: jobs that prepare something for it mostly do. */
function sharingImages(related: ReadonlySet<string>, cluster: Cluster): ReadonlySet<string> {
  const jobs = cluster.of('Job').map((owner) => ({ owner, spec: at(templateOf(owner), 'spec') }));
  const uses = [...cluster.podSpecs, ...jobs].flatMap(({ owner, spec }) =>
    listAt(spec, 'containers').map((container) => ({ service: owner.service, image: repositoryOf(container) })),
  );
  const images = new Set(uses.filter(({ service }) => related.has(service)).map(({ image }) => image));
  return new Set(uses.filter(({ image }) => image !== '' && images.has(image)).map(({ service }) => service));
}

/** The image without tag and digest. */
function repositoryOf(container: unknown): string {
  return (textAt(container, 'image') ?? '').replace(/@.*$/, '').replace(/:[^/:]*$/, '');
}

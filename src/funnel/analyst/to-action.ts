import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Evidence } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import { namespaceOf } from '../../domain/labels.ts';
import type { Conclusion } from '../../domain/report.ts';
import type { CatalogueStep } from './catalogue-steps.ts';
import { namespaceOfSuspect } from './namespace.ts';
import { spoken } from './spoken.ts';
import { evidenceOf } from './summarise.ts';

export type Action = Conclusion['action_plan'][number];

/** What a step of the catalogue needs to know of the place that it is about. */
export interface Setting {
  readonly service: string;
  /** What the service is called where it runs. */
  readonly workload: string;
  /** Where the service runs; undefined where that is not beyond doubt. */
  readonly namespace: string | undefined;
  readonly isCluster: boolean;
  /** A Deployment of the service's name was seen in this namespace, so that a command may change it. */
  readonly isDeployment: boolean;
}

export function settingOf(suspect: Suspect, incident: Incident, brief: Brief): Setting {
  const namespace = namespaceOfSuspect(suspect, incident, brief);
  const workload = workloadOf(suspect.service, namespace);
  return {
    service: suspect.service,
    workload,
    namespace,
    isCluster: namespace !== undefined || isCluster(incident, brief),
    isDeployment: namespace !== undefined && isDeployment(workload, namespace, suspect, incident, brief),
  };
}

/** The funnel calls `stock.depot` what has a namesake in the alert's namespace (see `unifyNames`). */
function workloadOf(service: string, namespace: string | undefined): string {
  return namespace !== undefined && service.endsWith(`.${namespace}`)
    ? service.slice(0, -namespace.length - 1)
    : service;
}

/** Labels of the alert, objects, or commands of objects: without any of them nothing is known to run in a cluster. */
function isCluster({ labels }: Incident, { evidence }: Brief): boolean {
  const isLabelled = ['pod', 'deployment', 'statefulset', 'daemonset'].some((name) => labels[name]);
  return (
    isLabelled ||
    namespaceOf(labels) !== undefined ||
    evidence.some(({ kind, query }) => kind === 'state' || query?.startsWith('kubectl '))
  );
}

/** A label of the alert, an object that was read, or a rollout that was read from the cluster says so, of the same namespace. */
function isDeployment(
  workload: string,
  namespace: string,
  { trigger }: Suspect,
  { labels }: Incident,
  brief: Brief,
): boolean {
  if (labels['deployment'] === workload && namespaceOf(labels) === namespace) return true;
  const command = `kubectl -n ${namespace} describe deployment ${workload}`;
  if (brief.evidence.some(({ query }) => query === command)) return true;
  return evidenceOf(trigger?.evidenceIds, brief).some(
    (change) => change.namespace === namespace && isRollout(change, workload),
  );
}

function isRollout({ statement }: Evidence, workload: string): boolean {
  const [, named, ofSet] =
    /: (?:Deployment (\S+) rolled out|ReplicaSet (\S+)-[a-z0-9]+ replaced )/.exec(statement) ?? [];
  return (named ?? ofSet) === workload;
}

/** A name that neither a shell nor PromQL reads as anything but a name (RFC 1123 label). */
const SAFE_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The step about this service. A command whose names are not plain is left out: what an alert or a log calls a service must not become words of a command
 * line. So is one for Kubernetes where nothing says that there is one, one that needs a namespace where that of the service is in doubt, and one that changes a
 * Deployment which nobody has seen there.
 */
export function toAction(entry: CatalogueStep, setting: Setting): Action {
  const name = spoken(setting.service, 120);
  const isCertain = setting.isCluster && (entry.risk === 'R0' || setting.isDeployment);
  const command = entry.command === undefined || !isCertain ? undefined : fillCommand(entry.command, setting);
  return {
    step: entry.step.replaceAll('{service}', () => name),
    why: entry.why.replaceAll('{service}', () => name),
    risk: entry.risk,
    needs_approval: entry.risk !== 'R0',
    ...(command === undefined ? {} : { command }),
    ...(entry.rollback === undefined ? {} : { rollback: entry.rollback }),
  };
}

function fillCommand(template: string, { workload, namespace = '' }: Setting): string | undefined {
  const needsService = template.includes('{service}') || template.includes('{pods}');
  const needsNamespace = template.includes('{kubectl}') || template.includes('{pods}');
  if (needsService && !SAFE_NAME.test(workload)) return undefined;
  if (needsNamespace && !SAFE_NAME.test(namespace)) return undefined;
  return template
    .replaceAll('{kubectl}', `kubectl -n ${namespace}`)
    .replaceAll('{pods}', `{namespace="${namespace}",pod=~"${workload}-.*"}`)
    .replaceAll('{service}', workload);
}

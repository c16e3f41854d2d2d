import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Incident } from '../../domain/incident.ts';
import type { Conclusion } from '../../domain/report.ts';
import type { CatalogueStep } from './catalogue-steps.ts';
import { spoken } from './spoken.ts';

export type Action = Conclusion['action_plan'][number];

/** What a step of the catalogue needs to know of the place that it is about. */
export interface Setting {
  readonly service: string;
  readonly namespace: string | undefined;
  readonly isCluster: boolean;
  /** A Deployment of the service's name was seen, so that a command may change it. */
  readonly isDeployment: boolean;
}

export function settingOf({ service, trigger }: Suspect, incident: Incident, brief: Brief): Setting {
  return {
    service,
    namespace: incident.labels['namespace'],
    isCluster: isCluster(incident, brief),
    isDeployment: isDeployment(service, trigger?.statement ?? '', incident, brief),
  };
}

/** Labels of the alert, objects, or commands of objects: without any of them nothing is known to run in a cluster. */
function isCluster({ labels }: Incident, { evidence }: Brief): boolean {
  const isLabelled = ['namespace', 'pod', 'deployment', 'statefulset', 'daemonset'].some((name) => labels[name]);
  return isLabelled || evidence.some(({ kind, query }) => kind === 'state' || query?.startsWith('kubectl '));
}

/** A label of the alert, an object that was read, or a rollout that was read from the cluster says so. */
function isDeployment(service: string, change: string, { labels }: Incident, { evidence }: Brief): boolean {
  if (labels['deployment'] === service) return true;
  if (evidence.some(({ query }) => query?.endsWith(` describe deployment ${service}`))) return true;
  const [, named, ofSet] = /: (?:Deployment (\S+) rolled out|ReplicaSet (\S+)-[a-z0-9]+ replaced )/.exec(change) ?? [];
  return (named ?? ofSet) === service;
}

/** A name that neither a shell nor PromQL reads as anything but a name (RFC 1123 label). */
const SAFE_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The step about this service. A command whose names are not plain is left out: what an alert or a log calls a service must not become words of a command
 * line. So is one for Kubernetes where nothing says that there is one, and one that changes a Deployment which nobody has seen.
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

function fillCommand(template: string, { service, namespace }: Setting): string | undefined {
  const needsService = template.includes('{service}') || template.includes('{pods}');
  const needsNamespace = template.includes('{kubectl}') || template.includes('{pods}');
  if (needsService && !SAFE_NAME.test(service)) return undefined;
  if (needsNamespace && namespace !== undefined && !SAFE_NAME.test(namespace)) return undefined;
  const selector = namespace === undefined ? '' : `namespace="${namespace}",`;
  return template
    .replaceAll('{kubectl}', namespace === undefined ? 'kubectl' : `kubectl -n ${namespace}`)
    .replaceAll('{pods}', `{${selector}pod=~"${service}-.*"}`)
    .replaceAll('{service}', service);
}

import type { EvidenceDraft } from '../../domain/evidence.ts';
import { oneLine } from '../../policy/untrusted.ts';
import type { StateFinding } from '../layers.ts';
import type { Cluster, KubeObject } from './cluster.ts';
import type { Condition, RuleContext } from './condition.ts';
import { groupBy } from './group-by.ts';
import { describeCommand } from './kubectl.ts';
import { RULES } from './objects/rules.ts';
import type { WeighPlace } from './places.ts';

const MINUTE_MS = 60_000;
/** Objects whose trouble is not one service's: their evidence names none. */
const SHARED_KINDS = new Set(['Node', 'Lease']);

/** Runs every rule and makes one finding a namespace, service and reason, however many pods show it. Unsorted. */
export function readObjects(cluster: Cluster, context: RuleContext, weighPlace: WeighPlace): readonly StateFinding[] {
  const conditions = RULES.flatMap((rule) => rule(cluster, context));
  const groups = groupBy(conditions, (condition) =>
    [condition.object.namespace, condition.service, condition.reason].join('\n'),
  );
  return [...groups.values()].map((group) => toFinding(group, cluster, context, weighPlace));
}

function toFinding(
  group: readonly Condition[],
  cluster: Cluster,
  { triggerMs }: RuleContext,
  weighPlace: WeighPlace,
): StateFinding {
  // A workload speaks for its pods; among equals the gravest.
  const [lead, ...others] = group.toSorted(
    (a, b) => Number(a.object.kind === 'Pod') - Number(b.object.kind === 'Pod') || b.severity - a.severity,
  ) as [Condition, ...Condition[]];
  const severity =
    lead.severity * affectedShare(lead, group, cluster) * ageFactor(lead, triggerMs) * weighPlace(lead.object);
  return {
    key: keyOf(lead, cluster.home),
    evidence: evidenceOf(lead, others, cluster),
    weight: severity,
    service: lead.service,
    severity,
    rootCauseType: lead.type,
  };
}

/** What has been so for hours did not set off this alert by itself. Unknown times are given the benefit of the doubt. */
function ageFactor({ atMs }: Condition, triggerMs: number): number {
  const ageMs = atMs === undefined ? 0 : triggerMs - atMs;
  if (ageMs <= 30 * MINUTE_MS) return 1;
  if (ageMs <= 120 * MINUTE_MS) return 0.85;
  return ageMs <= 1440 * MINUTE_MS ? 0.6 : 0.4;
}

/** One bad pod of many hurts less than all of them. */
function affectedShare(lead: Condition, group: readonly Condition[], cluster: Cluster): number {
  if (lead.object.kind !== 'Pod') return 1;
  const all = Math.max(1, cluster.podsOfService(lead.service).length);
  const affected = new Set(group.map((condition) => condition.object.name)).size;
  return 0.6 + 0.4 * Math.min(1, affected / all);
}

/** The reason stays the last part, by which the ranker sees how many services share it. */
function keyOf({ object, reason, service }: Condition, home: string | undefined): string {
  const isOwn = SHARED_KINDS.has(object.kind) || service === object.service;
  return `state:${object.kind}/${placedName(object, home)}${isOwn ? '' : ` of ${service}`}/${reason}`;
}

/** `kube-system/coredns-7d`: with the namespace where that is not the alert's. */
function placedName({ namespace, name }: KubeObject, home: string | undefined): string {
  return namespace === '' || home === undefined || namespace === home ? name : `${namespace}/${name}`;
}

function evidenceOf(lead: Condition, others: readonly Condition[], cluster: Cluster): EvidenceDraft {
  const { object } = lead;
  const query = describeCommand(object);
  const namespace = namespaceOf(lead, cluster);
  const statement = `${object.kind} ${placedName(object, cluster.home)} ${lead.statement}${alsoText(object, others)}`;
  return {
    kind: 'state',
    service: SHARED_KINDS.has(object.kind) ? undefined : lead.service,
    ...(namespace === undefined ? {} : { namespace }),
    statement: oneLine(statement),
    atMs: lead.atMs,
    ...(query === undefined ? {} : { query }),
    ...(lead.numbers?.length ? { numbers: lead.numbers } : {}),
  };
}

/** The object's, unless the service is known to run in others only, as an account that is bound to the role of another namespace. */
function namespaceOf({ object: { namespace }, service }: Condition, cluster: Cluster): string | undefined {
  const own = [...cluster.workloadsOf(service), ...cluster.podsOfService(service)];
  const isElsewhere = own.length > 0 && own.every((one) => one.namespace !== namespace);
  return namespace === '' || isElsewhere ? undefined : namespace;
}

function alsoText(object: KubeObject, others: readonly Condition[]): string {
  const names = [...new Set(others.map((other) => other.object.name))].filter((name) => name !== object.name);
  if (names.length === 0) return '';
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `; also ${names.slice(0, 3).join(', ')}${more}`;
}

import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Evidence } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import { namespaceOf } from '../../domain/labels.ts';
import { evidenceOf } from './summarise.ts';

/**
 * The namespace in which the suspect runs: the one that all evidence about it names, what it is suspected for before what else is known of it. The alert's own
 * only where that evidence does not name another, and the suspect is the alerting service. Undefined for nodes, and wherever this leaves a doubt: two
 * namespaces may well hold workloads of one name.
 */
export function namespaceOfSuspect(suspect: Suspect, incident: Incident, brief: Brief): string | undefined {
  const { service } = suspect;
  if (isNode(service, incident, brief)) return undefined;
  const told = namespacesTold(suspect, brief);
  const [only] = told;
  if (only !== undefined && told.size === 1) return only;
  const isAlerting = service === incident.service || service === brief.callPath?.at(-1);
  const ofAlert = isAlerting ? namespaceOf(incident.labels) : undefined;
  return ofAlert !== undefined && (told.size === 0 || told.has(ofAlert)) ? ofAlert : undefined;
}

/** An alert about a node may carry the namespace of the exporter that told of it. */
function isNode(service: string, { labels }: Incident, { evidence }: Brief): boolean {
  return labels['node'] === service || evidence.some(({ query }) => query === `kubectl describe node ${service}`);
}

/** Kinds that lie in no namespace. */
const CLUSTER_WIDE = /^kubectl describe (?:node|persistentvolume|storageclass|namespace) /;

/** False for a command that would look in whichever namespace the reader's shell is set to, as for an object whose own was not recorded. */
export function isPlaced(command: string): boolean {
  return !command.startsWith('kubectl ') || / -n \S/.test(command) || CLUSTER_WIDE.test(command);
}

function namespacesTold({ service, mechanism = [], trigger, reasons }: Suspect, brief: Brief): ReadonlySet<string> {
  const cited = [...mechanism, ...(trigger ? [trigger] : []), ...reasons].flatMap(({ evidenceIds }) => evidenceIds);
  // What it is suspected for may tell of others, too: its callers, or pods that a node drove away.
  const named = (items: readonly Evidence[]) =>
    new Set(items.flatMap((item) => (item.service === service ? (item.namespace ?? []) : [])));
  const told = named(evidenceOf(cited, brief));
  return told.size > 0 ? told : named(brief.evidence);
}

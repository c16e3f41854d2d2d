import type { Incident } from '../../domain/incident.ts';
import type { Ledger } from '../backend/ledger.ts';
import { namespacesOf } from '../namespaces-of.ts';
import type { CountedValue, FieldMatch, LogFieldNames, LogSource, LogWindow } from './log-source.ts';

/** Which part of the lines an incident is about, and who writes there. */
export interface LogScope {
  /** Conditions that all lines meet: the namespace, where alert and lines have one. */
  readonly place: readonly FieldMatch[];
  /** The fields that name the service, the one that is counted by first; empty when there is none. */
  readonly serviceFields: readonly string[];
  /** Largest first. */
  readonly services: readonly CountedValue[];
}

/** Fields that are tried for the name of the alerting service: each is a question, and a field that is only mapped has no values. */
const MOST_SERVICE_FIELDS = 10;
/** The next is tried only when nobody writes in the one before. */
const MOST_NAMESPACES = 2;
const MOST_NAMESPACE_FIELDS = 2;

/**
 * Where to look: the alert's namespace when lines bear it, else everything. There all services are read: the cause is often a neighbour, and a server of
 * logs does not know who calls whom. What does not fit becomes a note.
 */
export async function chooseScope(
  source: LogSource,
  names: LogFieldNames,
  incident: Incident,
  window: LogWindow,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<LogScope> {
  const known = await source.fieldsIn(window, signal);
  const { prefix } = source.name;
  const serviceFields = names.service.filter((field) => known.has(field));
  const unnamed = { place: [], serviceFields, services: [] };
  if (known.size === 0) ledger.note(`it has no lines in this window: ${source.whenEmpty}.`);
  else if (serviceFields.length === 0) ledger.note(nameless(known, prefix));
  if (serviceFields.length === 0) return unnamed;

  for (const place of placesOf(incident, names, known)) {
    const found = await findServices(
      source,
      serviceFields,
      incident.service,
      { ...window, fields: place },
      ledger,
      signal,
    );
    if (!found) continue;
    const { field, services } = found;
    if (incident.service !== undefined && !services.some(({ value }) => isOf(value, incident.service)))
      ledger.note(unknownService(incident.service, services, prefix));
    return {
      place,
      serviceFields: [field, ...serviceFields.filter((other) => other !== field)],
      services: services.toSorted(bySize),
    };
  }
  ledger.note(`none of its lines in this window names a service: set ${prefix}_SERVICE_FIELDS.`);
  return unnamed;
}

/** Conditions for where to look, the narrowest first. */
function placesOf(incident: Incident, names: LogFieldNames, known: ReadonlySet<string>): readonly FieldMatch[][] {
  const fields = names.namespace.filter((field) => known.has(field)).slice(0, MOST_NAMESPACE_FIELDS);
  const namespaces = namespacesOf(incident).slice(0, MOST_NAMESPACES);
  return [...namespaces.flatMap((namespace) => fields.map((field) => [{ field, values: [namespace] }])), []];
}

/** By the first field that knows the alerting service, else by the first that knows any. */
async function findServices(
  source: LogSource,
  fields: readonly string[],
  service: string | undefined,
  filter: Parameters<LogSource['countBy']>[1],
  ledger: Ledger,
  signal: AbortSignal,
): Promise<{ readonly field: string; readonly services: readonly CountedValue[] } | undefined> {
  let first: { readonly field: string; readonly services: readonly CountedValue[] } | undefined;
  for (const field of fields.slice(0, MOST_SERVICE_FIELDS)) {
    const counted = await ledger.attempt(() => source.countBy(field, filter, signal));
    const services = (counted ?? []).filter(({ value }) => value !== '');
    if (services.length === 0) continue;
    const found = { field, services };
    first ??= found;
    if (service === undefined || services.some(({ value }) => isOf(value, service))) return found;
  }
  return first;
}

/** Whether a name in the lines is the service or a part of it: `checkout`, `checkout-7d9f…`. */
export function isOf(value: string, service: string | undefined): boolean {
  if (service === undefined) return false;
  const [name, wanted] = [value.toLowerCase(), service.toLowerCase()];
  return name === wanted || name.startsWith(`${wanted}-`);
}

function bySize(a: CountedValue, b: CountedValue): number {
  return (b.size ?? 0) - (a.size ?? 0) || (a.value < b.value ? -1 : 1);
}

function nameless(known: ReadonlySet<string>, prefix: string): string {
  const some = [...known].sort().slice(0, 10).join(', ');
  return `none of its fields names a service (it has ${some}): set ${prefix}_SERVICE_FIELDS.`;
}

function unknownService(service: string, services: readonly CountedValue[], prefix: string): string {
  const some = services
    .slice(0, 8)
    .map(({ value }) => value)
    .join(', ');
  return `no line is of the alerting service ${service} (there are ${some}): compare the names, or set ${prefix}_SERVICE_FIELDS.`;
}

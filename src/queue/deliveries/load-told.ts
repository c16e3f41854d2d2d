import type {
  ContentName,
  DeliveryContent,
  IncidentContentName,
  NoticeName,
  StormContentName,
} from '../../domain/delivery.ts';
import type { StormSummary } from '../../domain/storm.ts';
import { sanitize } from '../../policy/untrusted.ts';
import type { Told } from './deliver-next.ts';
import type { DeliveryKey } from './keys.ts';

export interface LoadToldDeps {
  /** `told`: the newest that was told there before, whose news need no second telling. */
  readonly loadContent: (
    incidentId: string,
    name: IncidentContentName,
    told?: IncidentContentName,
  ) => Promise<DeliveryContent | undefined>;
  readonly loadStorm: (stormId: string) => Promise<StormSummary | undefined>;
  readonly loadNotice: (incidentId: string, name: NoticeName) => Promise<string | undefined>;
  readonly redact: (text: string) => string;
}

/** What a content name stands for now, redacted. A notice comes with the report that the destination has. */
export async function loadTold(
  deps: LoadToldDeps,
  { subjectId, content: name }: DeliveryKey,
  told: ContentName | undefined,
): Promise<Told | undefined> {
  const loaded = await load(deps, subjectId, name, told);
  return loaded && redactAll(loaded, deps.redact);
}

function load(deps: LoadToldDeps, subjectId: string, name: ContentName, told: ContentName | undefined) {
  if (isStorm(name)) return loadStorm(deps, subjectId);
  const has = told === undefined || isStorm(told) || isNotice(told) ? undefined : told;
  return isNotice(name) ? loadNotice(deps, subjectId, name, has) : deps.loadContent(subjectId, name, has);
}

async function loadStorm({ loadStorm: read }: LoadToldDeps, stormId: string): Promise<Told | undefined> {
  const storm = await read(stormId);
  return storm && { kind: 'storm', storm };
}

async function loadNotice(
  { loadContent, loadNotice: read }: LoadToldDeps,
  incidentId: string,
  name: NoticeName,
  told: IncidentContentName = 'report',
): Promise<Told | undefined> {
  const [content, news] = await Promise.all([loadContent(incidentId, told), read(incidentId, name)]);
  if (!content || news === undefined) return undefined;
  return { kind: 'update', incident: content.incident, report: content.report, news, isNotice: true };
}

export function isStorm(name: ContentName): name is StormContentName {
  return name.startsWith('storm-');
}

export function isNotice(name: ContentName): name is NoticeName {
  return name.startsWith('notice-');
}

/**
 * As one JSON text, because names tell which values are secrets; redaction keeps JSON and its keys intact. Sanitised before: destinations
 * take invisible characters out, and what such a character had split would be whole again.
 */
function redactAll(told: Told, redact: (text: string) => string): Told {
  const visible = JSON.stringify(told, (_name, value: unknown) =>
    typeof value === 'string' ? sanitize(value) : value,
  );
  return JSON.parse(redact(visible)) as Told;
}

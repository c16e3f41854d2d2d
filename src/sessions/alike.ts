import { createHash } from 'node:crypto';
import type { Incident } from '../domain/incident.ts';

/** What two incidents can have in common; how much each says stands in `WEIGHTS`. */
export type Likeness = 'alert' | 'service' | 'error';

/** The same error says most; the same service fails in many ways. */
export const WEIGHTS: Readonly<Record<Likeness, number>> = { error: 4, alert: 2, service: 1 };

/** Error templates of one incident that are looked at, the most telling first. */
const MAX_ERRORS = 8;
const MAX_TEMPLATE_CHARACTERS = 200;
/** With fewer, every second program says the same. */
const MIN_WORDS = 2;

/** As the funnel's log layer words a template: `New error "no connection to <*>"; 300 lines …`. */
const ERROR_STATEMENT = /^(?:New|More of the|Seen:) error "(.+?)"; \d/;
const VALUE = /<\*>|\[REDACTED:[^\]]{0,60}\]|\b(?=[\w-]{0,80}\d)[\w-]{1,80}/g;

interface Stated {
  readonly kind: string;
  readonly statement: string;
}

/** The traits of an incident as `kind:hash`, equal where two incidents are alike. `evidence` in the order of its weight. */
export function traitsOf(incident: Incident, evidence: readonly Stated[]): readonly string[] {
  const name = incident.labels['alertname'] ?? incident.title;
  const errors = evidence.filter(({ kind }) => kind === 'log').flatMap(({ statement }) => fingerprint(statement));
  return [
    trait('alert', name),
    ...(incident.service ? [trait('service', incident.service)] : []),
    ...[...new Set(errors)].slice(0, MAX_ERRORS).map((text) => trait('error', text)),
  ];
}

export function likenessOf(traitName: string): Likeness {
  return traitName.slice(0, traitName.indexOf(':')) as Likeness;
}

/** The wording of an error without its values, so that a template and a line of it are one. */
function fingerprint(statement: string): readonly string[] {
  const template = ERROR_STATEMENT.exec(statement)?.[1];
  if (template === undefined) return [];
  const bare = template.replace(VALUE, '*').replace(/\s+/g, ' ').toLowerCase().slice(0, MAX_TEMPLATE_CHARACTERS);
  return (bare.match(/\p{L}{3,}/gu)?.length ?? 0) < MIN_WORDS ? [] : [bare];
}

function trait(kind: Likeness, text: string): string {
  return `${kind}:${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}
